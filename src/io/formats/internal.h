// What the files behind formats.h share: the readers and writers that its table in formats.cpp
// lists, and helpers. Everyone else includes formats.h.
#pragma once

#include <string>
#include <string_view>

#include "io/formats/formats.h"

class Input;  // an open source, input.h

Graph readBin(Input& in, const ReadOptions& options);
Graph readBinEdges(Input& in, const ReadOptions& options);
Graph readBinDense(Input& in, const ReadOptions& options);
Graph readGr(Input& in, const ReadOptions& options);
Graph readMtx(Input& in, const ReadOptions& options);
Graph readNpy(Input& in, const ReadOptions& options);
Graph readEl(Input& in, const ReadOptions& options);

void writeBin(OutputFile& out, const Graph& graph);
void writeBinEdges(OutputFile& out, const Graph& graph);
void writeBinDense(OutputFile& out, const Graph& graph);
void writeGr(OutputFile& out, const Graph& graph);
void writeMtx(OutputFile& out, const Graph& graph);
void writeNpy(OutputFile& out, const Graph& graph);

inline bool endsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// What was found in a file, for a message: short and printable.
inline std::string quoted(std::string_view found) {
  constexpr std::size_t kLongest = 40;
  std::string text(found.substr(0, kLongest));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "'" + text + (found.size() > kLongest ? "...'" : "'");
}

/// The words, with `between` between two.
template <class Words>
std::string joined(const Words& words, const char* between) {
  std::string text;
  for (const auto& word : words) (text += text.empty() ? "" : between) += word;
  return text;
}
