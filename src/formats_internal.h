// The table of graph formats, between readers.cpp and writers.cpp; everyone else includes
// formats.h.
#pragma once

#include <string>

#include "formats.h"

class Input;  // an open source, readers.cpp

/// One row per format. A null writer: read only.
struct Format {
  const char* name;
  const char* extensions[3];  ///< the rest null
  bool text;                  ///< may be gzipped
  const char* what;
  Graph (*read)(Input&, const ReadOptions&);
  void (*write)(OutputFile&, const Graph&);
};

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

inline constexpr Format kFormats[] = {
    {"bin", {".bin"}, false, "binary, told apart by size", readBin, writeBin},
    {"bin-edges", {}, false, "binary edge list", readBinEdges, writeBinEdges},
    {"bin-dense", {}, false, "binary dense matrix", readBinDense, writeBinDense},
    {"gr", {".gr"}, true, "DIMACS shortest paths", readGr, writeGr},
    {"mtx", {".mtx"}, true, "Matrix Market", readMtx, writeMtx},
    {"npy", {".npy"}, false, "NumPy array", readNpy, writeNpy},
    {"el", {".txt", ".el", ".tsv"}, true, "edge list text", readEl, nullptr},
};

inline bool endsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// The row called `name` or, where that is empty, the one with the extension of `path`. Throws
/// Error(kUsage), naming the choices.
const Format& findFormat(const std::string& path, const std::string& name);
