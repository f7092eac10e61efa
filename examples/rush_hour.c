/* The same streets at several hours, in C: one plan, new weights each time, a few sources and targets with a path, and
 * a solve that is cancelled. See examples/CMakeLists.txt for how to link. */
#include <apsp/apsp.h>
#include <stdio.h>

/* 0 - 1 - 2
 * |   |   |    Street s leads from kFrom[s] to kTo[s], and back.
 * 3 - 4 - 5 */
enum { kVertices = 6, kStreets = 7, kEdges = 2 * kStreets };
static const int32_t kFrom[] = {0, 1, 3, 4, 0, 1, 2}, kTo[] = {1, 2, 4, 5, 3, 4, 5};

static int cancel(void* user, const char* what, double done) {
  (void)user, (void)what, (void)done;
  return 1;
}

static apsp_status show(const apsp_plan* plan, const int32_t* minutes, const char* hour) {
  apsp_result* result = NULL;
  int32_t row[2], path[kVertices];
  size_t count = 0;
  apsp_status status = apsp_plan_solve_weights(plan, kEdges, minutes, NULL, &result);
  if (status == APSP_OK) status = apsp_result_rows(result, 0, 1, row);
  if (status == APSP_OK) status = apsp_result_path(result, 0, 5, path, kVertices, &count);
  if (status == APSP_OK) {
    printf("%s: %d min to 5, %d min to 2:", hour, (int)row[0], (int)row[1]);
    for (size_t i = 0; i < count; ++i) printf(" %d", (int)path[i]);
    printf("\n");
  }
  apsp_result_free(result);
  return status;
}

int main(void) {
  int32_t tails[kEdges], heads[kEdges], minutes[kEdges];
  for (int s = 0; s < kStreets; ++s) {
    tails[s] = heads[kStreets + s] = kFrom[s];
    heads[s] = tails[kStreets + s] = kTo[s];
    minutes[s] = minutes[kStreets + s] = 3;
  }
  const int32_t source = 0, targets[] = {5, 2};
  apsp_options options;
  apsp_options_init(&options, sizeof options);
  options.sources = &source;
  options.source_count = 1;
  options.targets = targets;
  options.target_count = 2;
  apsp_graph* graph = NULL;
  apsp_plan* plan = NULL;
  apsp_status status = apsp_graph_edges(kVertices, kEdges, tails, heads, APSP_INT32, minutes, &graph);
  if (status == APSP_OK) status = apsp_plan_make(graph, &options, &plan);
  minutes[0] = minutes[6] = 2;
  if (status == APSP_OK) status = show(plan, minutes, "night");
  minutes[1] = minutes[kStreets + 1] = minutes[5] = 20; /* from 1 on, nothing moves */
  if (status == APSP_OK) status = show(plan, minutes, "rush hour");
  if (status == APSP_OK) {
    apsp_options one; /* of one solve of the plan: threads and progress */
    apsp_result* result = NULL;
    apsp_options_init(&one, sizeof one);
    one.progress = cancel;
    if (apsp_plan_solve_with(plan, graph, &one, &result) == APSP_CANCELLED) printf("cancelled\n");
    apsp_result_free(result);
  } else {
    fprintf(stderr, "rush_hour: %s\n", apsp_last_error());
  }
  apsp_plan_free(plan);
  apsp_graph_free(graph);
  return status;
}
