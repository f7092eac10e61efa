/* libapsp: all-pairs shortest paths. Weights in, distances out, on a CPU or a GPU.
 *
 *   apsp_graph* graph;                         // a view: the arrays stay yours
 *   apsp_result* result;
 *   apsp_graph_csr32(n, offsets, heads, APSP_INT32, weights, &graph);
 *   apsp_solve(graph, NULL, &result);          // NULL: the default options
 *   apsp_result_rows(result, 0, 10, distances);
 *   apsp_result_free(result);
 *   apsp_graph_free(graph);
 *
 * Every function returns a status. After another than APSP_OK, apsp_last_error() says in one line what was wrong, and
 * the outputs are unchanged. The library prints nothing, ends no program, and throws nothing. Different threads may use
 * it at the same time with different objects; a graph may be solved by several threads at once.
 *
 * Vertices are the numbers from 0 to n - 1. A distance is the least sum of weights along a path, and APSP_INFINITY or
 * +inf where there is no path. Whole distances are exact: a graph whose distances could reach APSP_INFINITY is refused.
 * Float distances are sums that are rounded at each edge. docs/library.md is a guide of one page.
 */
#ifndef APSP_APSP_H
#define APSP_APSP_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define APSP_API __attribute__((visibility("default")))
#else
#define APSP_API
#endif

/* In C++, an enum of the interface may hold any int: the library looks whether it is one of its values. */
#ifdef __cplusplus
#define APSP_INT : int
#else
#define APSP_INT
#endif

#define APSP_VERSION_MAJOR 0
#define APSP_VERSION_MINOR 2
#define APSP_VERSION_PATCH 0

/* "No edge" in a matrix of int32, and "no path" in its distances. Weights are below it. */
#define APSP_INFINITY ((int32_t)((1 << 30) - 1))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum apsp_status APSP_INT {
  APSP_OK = 0,
  APSP_INVALID = 1,        /* an argument is wrong: the message names it */
  APSP_NO_MEMORY = 2,      /* too little host or device memory: the message says how much is needed */
  APSP_NO_DEVICE = 3,      /* a GPU was asked for, and there is none that this library can use */
  APSP_DEVICE_FAILED = 4,  /* CUDA failed */
  APSP_NEGATIVE_CYCLE = 5, /* there are no shortest paths: apsp_last_cycle() has the cycle */
  APSP_INEXACT = 6,        /* some distance does not fit into the type */
  APSP_CANCELLED = 7,      /* the progress callback asked for it */
  APSP_FAILED = 8          /* something that should not happen: please report it */
} apsp_status;

/* The type of weights and distances. */
typedef enum apsp_type APSP_INT {
  APSP_INT32 = 1,  /* 0 <= weight < APSP_INFINITY; with apsp_options.negative also above -APSP_INFINITY */
  APSP_FLOAT32 = 2 /* finite, no NaN; not negative without apsp_options.negative; +inf is "no edge" in a matrix */
} apsp_type;

/* Where an array is. */
typedef enum apsp_memory APSP_INT { APSP_HOST = 0, APSP_DEVICE = 1 } apsp_memory;

/* Where to solve. */
typedef enum apsp_place APSP_INT { APSP_ANYWHERE = 0, APSP_CPU = 1, APSP_GPU = 2 } apsp_place;

/* How to solve. APSP_AUTO takes what is expected to be the fastest. */
typedef enum apsp_method APSP_INT {
  APSP_AUTO = 0,
  APSP_DENSE = 1,
  APSP_FILTERED = 2,
  APSP_SPARSE = 3,
  APSP_SEARCH = 4 /* a search from each of a few sources. APSP_AUTO chooses it; it is not to be asked for */
} apsp_method;

typedef struct apsp_graph apsp_graph;   /* a graph, as a view of the caller's arrays */
typedef struct apsp_result apsp_result; /* the distances of a solve */
typedef struct apsp_plan apsp_plan;     /* how graphs with the same edges are solved, whatever their weights are */

/* Called about ten times a second, from the thread that solves or another one. what: a short text on what is being done,
 * valid during the call. done: the part of this that is done, from 0 to 1, or a negative number if that is not known; a
 * solve does several things one after the other. Return 0 to go on, and another number to cancel; it is not called again
 * then. It must not throw, nor call this library. */
typedef int (*apsp_progress)(void* user, const char* what, double done);

/* Set all fields with apsp_options_init(), then change some. */
typedef struct apsp_options {
  size_t size;             /* of this struct, set by apsp_options_init(): later versions have more fields */
  apsp_place place;        /* [APSP_ANYWHERE]: the GPU if there is one */
  apsp_method method;      /* [APSP_AUTO] */
  int threads;             /* on a CPU [0: as many as OpenMP chooses] */
  int negative;            /* [0] 1: weights may be negative */
  void* stream;            /* a cudaStream_t, for apsp_solve_matrix() in device memory [NULL: the default stream] */
  /* Some rows and columns only. On a CPU, a few sources cost a search from each. Else this saves memory, and little time. */
  const int32_t* sources;  /* (source_count) the vertices whose rows are wanted, in the order of the rows [NULL: all] */
  size_t source_count;     /* [0] */
  const int32_t* targets;  /* (target_count) the vertices whose columns are wanted [NULL: all] */
  size_t target_count;     /* [0] */
  apsp_progress progress;  /* [NULL] */
  void* progress_user;     /* [NULL] the first argument of the callback */
} apsp_options;

/* What a solve did. */
typedef struct apsp_info {
  size_t size;         /* sizeof(apsp_info), set by the caller */
  int32_t n;           /* vertices of the graph */
  int32_t rows;        /* of the distances: n, or the number of sources */
  int32_t columns;     /* n, or the number of targets */
  apsp_type type;      /* of the distances */
  apsp_place place;    /* where it was solved: APSP_CPU or APSP_GPU */
  apsp_method method;  /* how: any but APSP_AUTO */
  double milliseconds; /* the solve, without reading the graph and making a matrix of it */
} apsp_info;

/* What a plan decided. */
typedef struct apsp_plan_info {
  size_t size;             /* sizeof(apsp_plan_info), set by the caller */
  int32_t n;               /* vertices of the graphs */
  int32_t rows;            /* of the distances: n, or the number of sources */
  int32_t columns;         /* n, or the number of targets */
  apsp_type type;          /* of weights and distances */
  apsp_place place;        /* APSP_CPU or APSP_GPU */
  apsp_method method;      /* APSP_AUTO: the solve finds out, because the weights decide */
  int32_t keeps;           /* 1: the result keeps all distances; 0: it computes rows again when they are asked for */
  uint64_t host_bytes;     /* memory that a solve takes at the most, beside the graph */
  uint64_t device_bytes;   /* 0 on a CPU */
  double milliseconds;     /* that a solve is expected to take, roughly; negative: not known */
} apsp_plan_info;

/* What the distances from one vertex come to, without the one to itself. */
typedef struct apsp_summary {
  int32_t vertex;      /* the source */
  int32_t reachable;   /* how many of the targets have a path */
  double eccentricity; /* the largest distance; 0 if there is none */
  double sum;          /* of the distances */
} apsp_summary;

/* "0.2.0": the version of the library that is linked. */
APSP_API const char* apsp_version(void);
/* One line about the last error in this thread; "" if there was none. Valid until the next call in this thread of a
 * function that returns a status. */
APSP_API const char* apsp_last_error(void);
/* The negative cycle of the last APSP_NEGATIVE_CYCLE in this thread: returns its number of vertices k, and writes up to
 * `room` of them into `vertices`. Each has an edge to the next one, and the last one to the first. */
APSP_API size_t apsp_last_cycle(int32_t* vertices, size_t room);
/* A few words for a status: "out of memory". Never NULL. */
APSP_API const char* apsp_status_text(apsp_status status);
/* The name of the GPU that would be used, into `name` of `room` bytes; or APSP_NO_DEVICE, and apsp_last_error() says
 * why. name: may be NULL if room is 0. */
APSP_API apsp_status apsp_gpu(char* name, size_t room);

/* ---- graphs: views of arrays in host memory ---------------------------------------------------------------------
 * The arrays must stay until apsp_graph_free(), and must not change during a solve. Between two solves, weights may
 * change. Paths and predecessors of a result are those of the weights that were solved: edges are copied by a solve, but
 * a matrix is read again and must not have changed. */

/* Directed edges by the vertex that they leave. Of vertex u they are offsets[u] <= e < offsets[u + 1], to heads[e], with
 * weights[e]. offsets: (n + 1), ascending from 0. heads, weights: (offsets[n]). weights: int32_t or float, as `type`
 * says; NULL: every edge counts 1. Edges of a vertex may be in any order. Of parallel edges the lightest counts; edges
 * from a vertex to itself count nothing, unless their weight is negative: such an edge is a negative cycle. The arrays
 * are read, and errors in them found, when the graph is solved. */
APSP_API apsp_status apsp_graph_csr32(int32_t n, const int32_t* offsets, const int32_t* heads, apsp_type type,
                                      const void* weights, apsp_graph** graph);
/* The same with 64-bit offsets. */
APSP_API apsp_status apsp_graph_csr64(int32_t n, const int64_t* offsets, const int32_t* heads, apsp_type type,
                                      const void* weights, apsp_graph** graph);
/* Directed edges in any order, from tails[e] to heads[e]. tails, heads, weights: (edge_count). The rest is as above. */
APSP_API apsp_status apsp_graph_edges(int32_t n, size_t edge_count, const int32_t* tails, const int32_t* heads,
                                      apsp_type type, const void* weights, apsp_graph** graph);
/* A matrix: the weight of the edge from i to j is matrix[i * row_stride + j * column_stride], or APSP_INFINITY (or +inf)
 * if there is none. The diagonal counts as 0. Strides: in elements, not 0. Rows are copied when they are needed. */
APSP_API apsp_status apsp_graph_matrix(int32_t n, apsp_type type, const void* matrix, ptrdiff_t row_stride,
                                       ptrdiff_t column_stride, apsp_graph** graph);
/* graph: may be NULL. Results of the graph remain usable; of a matrix, not their paths and predecessors. */
APSP_API void apsp_graph_free(apsp_graph* graph);

/* ---- solving --------------------------------------------------------------------------------------------------- */

/* Sets all fields to their defaults. size: sizeof *options. */
APSP_API void apsp_options_init(apsp_options* options, size_t size);

/* Solves a graph. options: NULL for the defaults. The caller owns the result: apsp_result_free(). */
APSP_API apsp_status apsp_solve(const apsp_graph* graph, const apsp_options* options, apsp_result** result);

/* Decides how to solve graphs that have the edges of this one: method, place and memory. An expensive part of it, the
 * order in which a sparse graph is taken apart, depends on the edges alone and is kept. options: as for apsp_solve();
 * sources and targets are copied. The caller owns the plan: apsp_plan_free(). */
APSP_API apsp_status apsp_plan_make(const apsp_graph* graph, const apsp_options* options, apsp_plan** plan);
/* Solves a graph as planned. It may be another one than the plan was made of, with other weights, if it has the same
 * vertices, type and edges; APSP_INVALID if it has not. Of graphs held as a matrix only n and type are compared.
 * Several threads may use a plan at once. The plan may be freed before the result. */
APSP_API apsp_status apsp_plan_solve(const apsp_plan* plan, const apsp_graph* graph, apsp_result** result);
/* info->size must be set. */
APSP_API apsp_status apsp_plan_get_info(const apsp_plan* plan, apsp_plan_info* info);
/* plan: may be NULL. */
APSP_API void apsp_plan_free(apsp_plan* plan);

/* Replaces the weights of a matrix by its distances, in place. matrix: (n, n), row after row, in host or device memory,
 * 0 on the diagonal, APSP_INFINITY (or +inf) for "no edge". In device memory it is solved on options->stream, its
 * elements are not checked, and the call may return before the work is done. In host memory it is solved on a CPU
 * unless options->place says APSP_GPU. options: method, place, threads, stream; the others must have their defaults. */
APSP_API apsp_status apsp_solve_matrix(int32_t n, apsp_type type, void* matrix, apsp_memory where,
                                       const apsp_options* options);

/* ---- results --------------------------------------------------------------------------------------------------- */

/* info->size must be set. */
APSP_API apsp_status apsp_result_info(const apsp_result* result, apsp_info* info);
/* Writes `count` rows of distances from row `first` on into host memory: (count, columns) elements of the result's
 * type. Rows of a graph that was too large to keep them are computed again. */
APSP_API apsp_status apsp_result_rows(apsp_result* result, int32_t first, int32_t count, void* distances);
/* Writes all distances, (rows, columns), into host or device memory; `stride` elements lie from one row to the next. */
APSP_API apsp_status apsp_result_matrix(apsp_result* result, void* distances, ptrdiff_t stride, apsp_memory where);
/* The distances where they lie, if they are one matrix there: (n, n), row after row. APSP_INVALID if they are not. The
 * matrix belongs to the result. */
APSP_API apsp_status apsp_result_borrow(apsp_result* result, const void** distances, apsp_memory* where);
/* A shortest path between two vertices of a result with all distances: writes up to `room` vertices, both ends
 * included, and how many there are into `count`: 0 if there is no path. If `count` is more than `room`, the rest is
 * left out. */
APSP_API apsp_status apsp_result_path(apsp_result* result, int32_t from, int32_t to, int32_t* vertices, size_t room,
                                      size_t* count);
/* Writes the vertex before each one on a shortest path from `count` sources from row `first` on, into host memory:
 * (count, n); -9999, as in SciPy, where there is none. Of a result with all distances. */
APSP_API apsp_status apsp_result_predecessors(apsp_result* result, int32_t first, int32_t count, int32_t* predecessors);
/* Writes what each row comes to: (rows). */
APSP_API apsp_status apsp_result_summaries(apsp_result* result, apsp_summary* summaries);
/* result: may be NULL. */
APSP_API void apsp_result_free(apsp_result* result);

#ifdef __cplusplus
}
#endif

#endif
