// --html: grades or records as one HTML page, which scripts/page.py writes.
#pragma once

#include <memory>
#include <string>

#include "cli/flags.h"
#include "io/output.h"

struct PageFlags {
  std::string html;  ///< the file, or - for standard output; "": none
  bool anonymous = false;
  int reloadSeconds = 0;  ///< after which the page loads itself again; 0: never
};

/// --html and --anonymous. what: what the page shows.
void addPage(Flags& flags, PageFlags& page, const std::string& what);

/// The page that --html asks for; nothing without it.
class Page {
 public:
  /// Opens the file and looks for Python and its packages, so make it before any long work. Throws
  /// Error(kOutput).
  explicit Page(const PageFlags& flags);

  /// Writes the page about a document (scripts/page/documents.py says which there are). To be
  /// called once. source: the file that the document comes from, for a message. Throws
  /// Error(kOutput) with what the script says.
  void write(const std::string& json, const std::string& source = "") const;

 private:
  const PageFlags flags_;
  std::unique_ptr<OutputFile> file_;
};
