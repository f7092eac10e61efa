// Graphs: views of the caller's arrays.
#include <apsp/apsp.h>

#include <type_traits>

#include "api/device_views.h"
#include "api/handles.h"
#include "api/options.h"
#include "api/status.h"
#include "api/views.h"

namespace engine {

namespace {

template <class Arrays>
void makeGraph(const Arrays& arrays, apsp_graph** graph) {
  *graph = new apsp_graph{{}, arrays.n, [arrays](bool negative, const apsp_graph& said) {
                            Arrays all = arrays;
                            if constexpr (std::is_same_v<Arrays, MatrixArray>)
                              all.noEdge = said.noEdge;
                            return said.where == APSP_HOST ? viewOf(all, negative)
                                                           : deviceViewOf(all, negative);
                          }};
}

template <class Offset>
apsp_status csr(std::int32_t n, const Offset* offsets, const std::int32_t* heads, apsp_type type,
                const void* weights, apsp_graph** graph) noexcept {
  return guarded([&] {
    require(n >= 0, "n is negative");
    require(graph != nullptr, "graph is NULL");
    require(n == 0 || offsets != nullptr, "offsets is NULL");
    makeGraph(CsrArrays<Offset>{n, offsets, heads, {dtypeOf(type), weights}}, graph);
  });
}

}  // namespace

}  // namespace engine

using namespace engine;

extern "C" {

apsp_status apsp_graph_csr32(int32_t n, const int32_t* offsets, const int32_t* heads,
                             apsp_type type, const void* weights, apsp_graph** graph) {
  return csr(n, offsets, heads, type, weights, graph);
}

apsp_status apsp_graph_csr64(int32_t n, const int64_t* offsets, const int32_t* heads,
                             apsp_type type, const void* weights, apsp_graph** graph) {
  return csr(n, offsets, heads, type, weights, graph);
}

apsp_status apsp_graph_edges(int32_t n, size_t edge_count, const int32_t* tails,
                             const int32_t* heads, apsp_type type, const void* weights,
                             apsp_graph** graph) {
  return guarded([&] {
    require(n >= 0, "n is negative");
    require(graph != nullptr, "graph is NULL");
    require(edge_count == 0 || (tails != nullptr && heads != nullptr), "tails or heads is NULL");
    makeGraph(EdgeArrays{n, edge_count, tails, heads, {dtypeOf(type), weights}}, graph);
  });
}

apsp_status apsp_graph_matrix(int32_t n, apsp_type type, const void* matrix, ptrdiff_t row_stride,
                              ptrdiff_t column_stride, apsp_graph** graph) {
  return guarded([&] {
    require(n >= 0, "n is negative");
    require(graph != nullptr, "graph is NULL");
    require(n == 0 || matrix != nullptr, "matrix is NULL");
    require(n <= 1 || (row_stride != 0 && column_stride != 0), "a stride is 0");
    requireStride("row_stride", row_stride, n, dtypeOf(type));
    requireStride("column_stride", column_stride, n, dtypeOf(type));
    makeGraph(MatrixArray{n, {dtypeOf(type), matrix}, row_stride, column_stride}, graph);
  });
}

apsp_status apsp_graph_set_memory(apsp_graph* graph, apsp_memory where) {
  return guarded([&] {
    requireHandle(graph, "graph");
    deviceOf(where);
    graph->where = where;
  });
}

apsp_status apsp_graph_set_no_edge(apsp_graph* graph, int numbers) {
  return guarded([&] {
    requireHandle(graph, "graph");
    require((numbers & ~(APSP_NO_EDGE_ZERO | APSP_NO_EDGE_NAN)) == 0,
            "numbers is no sum of apsp_no_edge");
    graph->noEdge = numbers;
  });
}

apsp_status apsp_graph_size(const apsp_graph* graph, int32_t* n) {
  return guarded([&] {
    requireHandle(graph, "graph");
    require(n != nullptr, "n is NULL");
    *n = graph->n;
  });
}

void apsp_graph_free(apsp_graph* graph) {
  release(graph);
}

}  // extern "C"
