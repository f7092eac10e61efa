/* Distances between towns, in C. Roads are directed edges in any order; see examples/CMakeLists.txt for how to link. */
#include <apsp/apsp.h>
#include <stdio.h>

static const char* const kTowns[] = {"Oslo", "Bergen", "Trondheim", "Bodo"};

int main(void) {
  const int32_t from[] = {0, 1, 0, 2, 2, 3}, to[] = {1, 0, 2, 0, 3, 2};
  const int32_t km[] = {463, 463, 494, 494, 704, 704};
  apsp_graph* graph = NULL;
  apsp_result* result = NULL;
  apsp_status status = apsp_graph_edges(4, 6, from, to, APSP_INT32, km, &graph);
  if (status == APSP_OK) status = apsp_solve(graph, NULL, &result);
  for (int32_t i = 0; status == APSP_OK && i < 4; ++i) {
    int32_t row[4];
    status = apsp_result_rows(result, i, 1, row);
    printf("%-10s", kTowns[i]);
    for (int j = 0; j < 4; ++j) printf(" %5d", (int)row[j]);
    printf("\n");
  }
  int32_t path[4];
  size_t count = 0;
  if (status == APSP_OK) status = apsp_result_path(result, 1, 3, path, 4, &count);
  for (size_t i = 0; i < count; ++i) printf("%s%s", i == 0 ? "" : " -> ", kTowns[path[i]]);
  if (status == APSP_OK)
    printf("\n");
  else
    fprintf(stderr, "towns: %s\n", apsp_last_error());
  apsp_result_free(result);
  apsp_graph_free(graph);
  return status;
}
