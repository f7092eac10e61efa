// File descriptors that are closed where they go out of scope.
#pragma once

namespace engine {

/// Moves a descriptor to a number above those of standard input, output and error. A new descriptor
/// gets one of these numbers if this program was started with them closed. What open() returned if
/// it failed stays as it is, and errno with it.
int aboveStandard(int descriptor);

/// An open descriptor, closed with this.
struct Descriptor {
  explicit Descriptor(int opened) : number(aboveStandard(opened)) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  const int number;  ///< from aboveStandard(); negative if it could not be opened
};

}  // namespace engine
