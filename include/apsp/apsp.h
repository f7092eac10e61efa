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
 * Vertices are the numbers from 0 to n - 1. A distance is the least sum of weights along a path, and APSP_INFINITY,
 * APSP_INFINITY64 or +inf where there is no path. Whole distances are exact: a graph whose distances could reach the
 * infinity of their type is refused. Real distances, of float32 and float64, are sums that are rounded at each edge.
 * docs/library.md is a guide of one page.
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
#define APSP_VERSION_MINOR 5
#define APSP_VERSION_PATCH 0

/* "No edge" in a matrix of int32, and "no path" in its distances. Weights are below it. */
#define APSP_INFINITY ((int32_t)((1 << 30) - 1))
/* Since 0.4. The same of int64. */
#define APSP_INFINITY64 ((int64_t)((INT64_C(1) << 62) - 1))

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
  APSP_INEXACT = 6,        /* weights are right, but some distance, or count of paths, does not fit into its type */
  APSP_CANCELLED = 7,      /* the progress callback asked for it */
  APSP_FAILED = 8,         /* something that should not happen: please report it */
  APSP_UNSUPPORTED = 9     /* since 0.5: the arguments are right, but what they ask for is not available together, or for
                              this graph, result, memory or machine: the message says what to take instead */
} apsp_status;

/* The type of weights and distances. */
typedef enum apsp_type APSP_INT {
  APSP_INT32 = 1,   /* 0 <= weight < APSP_INFINITY; with apsp_options.negative also above -APSP_INFINITY */
  APSP_FLOAT32 = 2, /* finite, no NaN; not negative without apsp_options.negative; +inf is "no edge" in a matrix */
  APSP_INT64 = 3,   /* since 0.4: as APSP_INT32, with APSP_INFINITY64 */
  APSP_FLOAT64 = 4  /* since 0.4: as APSP_FLOAT32 */
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
  APSP_SEARCH = 4, /* a search from each of a few sources. APSP_AUTO chooses it; it is not to be asked for */
  APSP_BFS = 5     /* breadth-first searches, of edges of equal weight */
} apsp_method;

typedef struct apsp_graph apsp_graph;   /* a graph, as a view of the caller's arrays */
typedef struct apsp_result apsp_result; /* the distances of a solve */
typedef struct apsp_plan apsp_plan;     /* how graphs with the same edges are solved, whatever their weights are */

/* Called once at the beginning, and some tens of times a second, from the thread that solves or another one. what: a short text on what is being done,
 * valid during the call. done: the part of this that is done, from 0 to 1, or a negative number if that is not known; a
 * solve does several things one after the other. Return 0 to go on, and another number to cancel; it is not called again
 * then. It must not throw, nor call this library. */
typedef int (*apsp_progress)(void* user, const char* what, double done);

/* Set all fields with apsp_options_init(), then change some. */
typedef struct apsp_options {
  size_t size;             /* of this struct, set by apsp_options_init(): later versions have more fields */
  apsp_place place;        /* [APSP_ANYWHERE]: the GPU if there is one, and if it can compute with these weights */
  apsp_method method;      /* [APSP_AUTO] */
  int threads;             /* on a CPU [0: as many as OpenMP chooses] */
  int negative;            /* [0] 1: weights may be negative */
  void* stream;            /* a cudaStream_t of the GPU, for what is in device memory: apsp_solve_matrix() and
                              apsp_solve_batch() solve there on it. Since 0.5, apsp_solve() and plans read a graph there
                              after the work on it, and apsp_result_matrix() writes there on it: it must exist as long as
                              these are called. Other functions refuse it [NULL: the default stream] */
  /* Some rows and columns only. On a CPU, a few sources cost a search from each, and more of a sparse graph are taken
     together. Of a dense graph this saves memory, and little time. */
  const int32_t* sources;  /* (source_count) the vertices whose rows are wanted, in the order of the rows [NULL: all] */
  size_t source_count;     /* [0] */
  const int32_t* targets;  /* (target_count) the vertices whose columns are wanted [NULL: all] */
  size_t target_count;     /* [0] */
  apsp_progress progress;  /* [NULL] */
  void* progress_user;     /* [NULL] the first argument of the callback */
  /* Since 0.3. So many ranks solve together: on a GPU, that many GPUs of this machine, all of one model; on a CPU,
   * threads, each with a part of the matrix. At most 64, and for apsp_solve() only. */
  int ranks;               /* [0: one] */
  /* Since 0.5. The order in which the sparse method eliminates the vertices, as apsp_plan_order() writes it, so that it
   * need not be found: (n) all vertices. Any order gives the same distances; a good one takes less time. For a graph of
   * edges, one rank, and APSP_AUTO or APSP_SPARSE, which then mean the same. */
  const int32_t* order;    /* [NULL: it is found] */
  /* Since 0.5. Which GPU solves, if there are several: 1 + its number in CUDA. Then a GPU is asked for, as by APSP_GPU.
   * Arrays in device memory must lie there. Results stay there, and all calls with them compute there. After each call,
   * the GPU that was current before is current again, for which CUDA makes a context there, too. For one rank. */
  int gpu;                 /* [0: the one that is current in CUDA] */
  /* Since 0.5. 1 or 2: no distance is above 254 or 65534. Breadth-first searches then keep the distances in so many bytes
   * each, if APSP_BFS is asked for, or if there is no room for them as they are. All functions that read a result give
   * them in its type, as ever; only apsp_result_borrow() is APSP_UNSUPPORTED. APSP_INVALID if a distance is larger and
   * would have been kept so: the message names the first pair. For whole weights, none below 0, one rank, and
   * apsp_solve() and apsp_plan_make() only. A graph that is given as a matrix keeps them as they are. */
  int distance_bytes;      /* [0: as many as a weight has] */
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
  int32_t ranks;       /* since 0.3: how many solved together */
  apsp_type computed;  /* since 0.4: the type that computed: APSP_INT32 of 64-bit weights that fit into it */
  int32_t gpu;         /* since 0.5: where it was solved, 1 + the number of the GPU in CUDA; 0: on a CPU */
  /* Since 0.5. The rest of the call, in milliseconds. */
  double reading;      /* the caller's arrays, and comparing the edges with those of a plan */
  double planning;     /* choosing method and memory, and the part of the solve that choosing did, such as eliminating;
                          0 with a plan */
  double placing;      /* the memory of the distances, which a system gives when it is first written; and the weights, if a
                          matrix of them is solved */
  double checking;     /* whether the distances fit into their type */
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
  uint64_t host_bytes;     /* memory that a solve with the plan's threads takes at the most, beside the graph */
  uint64_t device_bytes;   /* 0 on a CPU */
  double milliseconds;     /* that a solve is expected to take, roughly; negative: not known */
} apsp_plan_info;

/* What the distances from one vertex come to, without the one to itself. */
typedef struct apsp_summary {
  int32_t vertex;      /* the source */
  int32_t reachable;   /* how many of the targets have a path */
  double eccentricity; /* the largest distance; 0 if there is none. An int64 above 2^53 is rounded to a double */
  double sum;          /* of the distances */
} apsp_summary;

/* What the distances to one vertex come to, without the one from itself. Since 0.5. */
typedef struct apsp_incoming {
  int32_t vertex;
  int32_t reaching; /* how many vertices have a path to it */
  double sum;       /* of the distances */
} apsp_incoming;

/* Since 0.5. What all distances of a result come to, without those from a vertex to itself. */
typedef struct apsp_measures {
  size_t size;        /* of this struct, set by the caller: later versions have more fields */
  uint64_t pairs;     /* of a source and another vertex, a target */
  uint64_t reachable; /* of these, how many have a path */
  double largest;     /* distance; 0 if there is none */
  double sum;         /* of the distances */
  int64_t sum_high;   /* of whole distances exactly: 2^64 * sum_high + sum_low; 0 of reals */
  uint64_t sum_low;
  double mean;        /* distance; 0 if there is none */
  double efficiency;  /* the mean of 1/d over all pairs; 0 counts where there is no path, and for d = 0 */
} apsp_measures;

/* Since 0.5. How many pairs of a source and another vertex, a target, have a distance of `from` to `to`. Of real
 * distances, `to` itself belongs to the next bin, but for the last one. */
typedef struct apsp_bin {
  double from, to;
  uint64_t pairs;
} apsp_bin;
#define APSP_MOST_BINS 10000

/* Since 0.5. Numbers that stand for "no edge" in a matrix, besides the infinity of its type. They can be added. */
typedef enum apsp_no_edge APSP_INT { APSP_NO_EDGE_ZERO = 1, APSP_NO_EDGE_NAN = 2 } apsp_no_edge;

/* "0.5.0": the version of the library that is linked. */
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

/* ---- graphs: views of arrays ------------------------------------------------------------------------------------
 * The arrays are in host memory, unless apsp_graph_set_memory() says something else. They must stay until apsp_graph_free(), and must not change during a solve. Between two solves, weights may
 * change. Paths and predecessors of a result are those of the weights that were solved: edges are copied by a solve, but
 * a matrix is read again and must not have changed. */

/* Directed edges by the vertex that they leave. Of vertex u they are offsets[u] <= e < offsets[u + 1], to heads[e], with
 * weights[e]. offsets: (n + 1), ascending from 0. heads, weights: (offsets[n]). weights: of the type `type`;
 * NULL: every edge counts 1. Edges of a vertex may be in any order. Of parallel edges the lightest counts; edges
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
/* A matrix: the weight of the edge from i to j is matrix[i * row_stride + j * column_stride], or APSP_INFINITY,
 * APSP_INFINITY64 or +inf if there is none. The diagonal counts as 0. Strides: in elements, not 0. Rows are copied when
 * they are needed. */
APSP_API apsp_status apsp_graph_matrix(int32_t n, apsp_type type, const void* matrix, ptrdiff_t row_stride,
                                       ptrdiff_t column_stride, apsp_graph** graph);
/* Says that all arrays of the graph are in host or device memory [APSP_HOST]. In device memory, a matrix is read where it
 * is; of edges, a copy is made in host memory. A solve first waits for all work of this process on the GPU, which may
 * still be writing the arrays; with apsp_options.stream, for the work on that stream only. APSP_NO_DEVICE if there is no
 * GPU. */
APSP_API apsp_status apsp_graph_set_memory(apsp_graph* graph, apsp_memory where);
/* Since 0.5. Says which numbers stand for "no edge" in a matrix besides infinity: a sum of apsp_no_edge [0: none]. Of
 * weights that edges have, it changes nothing. */
APSP_API apsp_status apsp_graph_set_no_edge(apsp_graph* graph, int numbers);
/* Since 0.5. The number of vertices. */
APSP_API apsp_status apsp_graph_size(const apsp_graph* graph, int32_t* n);
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
/* Since 0.5. The same with the threads, the stream and the progress of these options, in place of those that the plan was
 * made with. options: threads, stream, progress, progress_user; the others must have their defaults. NULL: as the plan
 * was made. */
APSP_API apsp_status apsp_plan_solve_with(const apsp_plan* plan, const apsp_graph* graph, const apsp_options* options,
                                          apsp_result** result);
/* Since 0.5. Solves the graph that was planned with new weights. weights: (count) of the graph's type, in host memory;
 * weights[e] belongs to heads[e]. count: the number of all edges that were given. Edges are not read or compared again,
 * so this is the fastest; the graph may be freed before. For this a plan of edges that are not sorted, or are parallel,
 * takes 8 bytes for each. options: as above. APSP_UNSUPPORTED if a matrix was planned. */
APSP_API apsp_status apsp_plan_solve_weights(const apsp_plan* plan, size_t count, const void* weights,
                                             const apsp_options* options, apsp_result** result);
/* info->size must be set. */
APSP_API apsp_status apsp_plan_get_info(const apsp_plan* plan, apsp_plan_info* info);
/* Since 0.5. Writes the order in which the vertices are eliminated: (n). It can be kept in a file, and is an order for any
 * graph that has edges between the same pairs of vertices. APSP_UNSUPPORTED if the plan is for another method than
 * APSP_SPARSE, which options->method can ask for. */
APSP_API apsp_status apsp_plan_order(const apsp_plan* plan, int32_t* order);
/* plan: may be NULL. */
APSP_API void apsp_plan_free(apsp_plan* plan);

/* Replaces the weights of a matrix by its distances, in place. matrix: (n, n), row after row, in host or device memory,
 * 0 on the diagonal, APSP_INFINITY, APSP_INFINITY64 or +inf for "no edge". In device memory it is solved on
 * options->stream, and its elements are not checked. The call waits for the work, because it looks at the distances; if
 * it need not look, it may return before. In host memory the matrix is solved on a CPU unless options->place says
 * APSP_GPU. If a distance reaches the infinity of its type, APSP_INEXACT leaves a matrix in host memory as it was, and
 * leaves such distances at infinity in device memory. If the message of APSP_NO_MEMORY says that there is no room to look
 * at them, it holds distances, of which some may have been too large. After APSP_CANCELLED the matrix holds neither its
 * weights nor distances. APSP_UNSUPPORTED if a GPU cannot compute with elements of that type.
 * options: method, place, threads, stream; the others must have their defaults. */
APSP_API apsp_status apsp_solve_matrix(int32_t n, apsp_type type, void* matrix, apsp_memory where,
                                       const apsp_options* options);

/* Since 0.5. Replaces the weights of `count` matrices by their distances, in place: each (n, n),
 * one after the other, as apsp_solve_matrix() takes them. 1 <= n. Graphs of up to 128 vertices are
 * solved many at a time, and larger ones one by one. A distance that reaches the infinity of its
 * type is left at infinity: there is no APSP_INEXACT. In host memory, a diagonal counts as 0; all
 * elements are checked before any is changed, and an error names the first wrong one,
 * matrices[7][1][0]; a CPU solves them, a graph on a thread, unless options->place says APSP_GPU.
 * In device memory, diagonals must be 0, and all is as for apsp_solve_matrix(). With
 * options->stream, the call may return before the work is done; without one, it first waits until
 * the GPU is idle, and returns when the work is done. After APSP_CANCELLED, and if a GPU fails,
 * some matrices are solved and others are as they were. options: place, threads, stream, progress;
 * the others must have their defaults. */
APSP_API apsp_status apsp_solve_batch(size_t count, int32_t n, apsp_type type, void* matrices, apsp_memory where,
                                      const apsp_options* options);

/* ---- results --------------------------------------------------------------------------------------------------- */

/* info->size must be set. */
APSP_API apsp_status apsp_result_info(const apsp_result* result, apsp_info* info);
/* Writes `count` rows of distances from row `first` on into host memory: (count, columns) elements of the result's
 * type. Rows of a graph that was too large to keep them are computed again. */
APSP_API apsp_status apsp_result_rows(apsp_result* result, int32_t first, int32_t count, void* distances);
/* Since 0.5. The same of whole distances, in elements of `bytes` bytes: uint8_t or uint16_t. 255 or 65535 stands for no
 * path. APSP_INVALID if a distance is not below that, and APSP_UNSUPPORTED if distances are no whole numbers. */
APSP_API apsp_status apsp_result_narrow(apsp_result* result, int32_t first, int32_t count, size_t bytes,
                                        void* distances);
/* Writes all distances, (rows, columns), into host or device memory; `stride` elements lie from one row to the next. If the
 * result has a stream of the caller, they are written into device memory on that stream, after what is on it already. If
 * apsp_result_borrow() lends them in device memory, the call may return before they are written, and apsp_result_free()
 * waits for that; otherwise the call waits. */
APSP_API apsp_status apsp_result_matrix(apsp_result* result, void* distances, ptrdiff_t stride, apsp_memory where);
/* The distances where they lie, if they are one matrix there: (n, n), row after row, of the result's type. APSP_UNSUPPORTED
 * if they are not, or if apsp_info.computed is another type. The matrix belongs to the result. */
APSP_API apsp_status apsp_result_borrow(apsp_result* result, const void** distances, apsp_memory* where);
/* A shortest path between two vertices: writes up to `room` vertices, both ends included, and how many there are into
 * `count`: 0 if there is no path. If `count` is more than `room`, the rest is left out. Of a result with some sources,
 * `from` is one of these; `to` is any vertex. Of a result with some targets, the distances from `from` are found again on
 * the CPU, and kept for the next path. Before 0.5, of a result with all distances only. */
APSP_API apsp_status apsp_result_path(apsp_result* result, int32_t from, int32_t to, int32_t* vertices, size_t room,
                                      size_t* count);
/* Writes the vertex before each one on a shortest path from `count` sources from row `first` on, into host memory:
 * (count, n); -9999, as in SciPy, where there is none. Of a result with some targets, the distances from these sources
 * are found again on the CPU. Before 0.5, of a result with all distances only. */
APSP_API apsp_status apsp_result_predecessors(apsp_result* result, int32_t first, int32_t count, int32_t* predecessors);
/* Writes what each row comes to: (rows). */
APSP_API apsp_status apsp_result_summaries(apsp_result* result, apsp_summary* summaries);
/* Since 0.5. Writes the nearest and the farthest target of each source, other than itself: (rows) vertices; -1 if it
 * reaches none. Of several, it is the one of the first column. One of the two may be NULL. */
APSP_API apsp_status apsp_result_ends(apsp_result* result, int32_t* nearest, int32_t* farthest);
/* Since 0.5. Writes what each column comes to, of a result with all distances: (n). */
APSP_API apsp_status apsp_result_incoming(apsp_result* result, apsp_incoming* incoming);
/* Since 0.5. Writes sums of 1/d over distances d other than 0: of each row (rows), and of each column (columns). One of
 * the two may be NULL. */
APSP_API apsp_status apsp_result_harmonic(apsp_result* result, double* outgoing, double* incoming);
/* Since 0.5. measures->size: set by the caller. */
APSP_API apsp_status apsp_result_measures(apsp_result* result, apsp_measures* measures);
/* Since 0.5. Writes how many pairs have which distance: `count` bins, ascending, APSP_MOST_BINS at the most. If all
 * distances are whole and below 10000, a bin is a distance that occurs; otherwise there are 1000 of the same width. */
APSP_API apsp_status apsp_result_histogram(apsp_result* result, apsp_bin* bins, size_t* count);
/* result: may be NULL. */
APSP_API void apsp_result_free(apsp_result* result);

/* ---- answers that are smaller than all distances -----------------------------------------------------------------
 * Since 0.5. They take the time and memory of the answer, where all distances would take n * n. Weights are 0 or more;
 * options: place, threads, progress, and where it is said sources and targets. The work is done on the CPU. With
 * APSP_ANYWHERE, a GPU finds the distances up to a limit if it is expected to take less time for the same bits; with
 * APSP_GPU, that GPU makes all rows where rows are what is asked for. */

typedef struct apsp_near apsp_near;   /* the distances of some pairs, or what else is known of them */
typedef struct apsp_pairs apsp_pairs; /* a graph that is prepared for single pairs */

/* Finds the distances from each source that are at most `limit`, 0 or more, to other vertices. Each target must be there
 * once. The caller owns the answer: apsp_near_free(). */
APSP_API apsp_status apsp_find_within(const apsp_graph* graph, double limit, const apsp_options* options, apsp_near** near);
/* The same of the k nearest targets of each source only, 0 <= k <= the number of targets. Of targets that are equally far,
 * those of the smaller columns are taken. limit: INFINITY for none. */
APSP_API apsp_status apsp_find_nearest(const apsp_graph* graph, int32_t k, double limit, const apsp_options* options,
                                       apsp_near** near);
/* The same of the graph, sources and targets of a result, with any limit but NaN and any k from 0 on. If the result keeps
 * its distances, they are looked at; otherwise the small ones are found again. */
APSP_API apsp_status apsp_result_within(apsp_result* result, double limit, apsp_near** near);
APSP_API apsp_status apsp_result_nearest(apsp_result* result, int32_t k, double limit, apsp_near** near);
/* The number of rows, one for each source, and of distances in all rows. */
APSP_API apsp_status apsp_near_size(const apsp_near* near, int32_t* rows, size_t* entries);
/* Writes the distances as a sparse matrix: row i has those from offsets[i] to before offsets[i + 1], to columns[e].
 * offsets: (rows + 1). columns, distances: (entries), of the graph's type. Columns ascend; of the nearest, distances do. */
APSP_API apsp_status apsp_near_copy(const apsp_near* near, int64_t* offsets, int32_t* columns, void* distances);
/* near: may be NULL. */
APSP_API void apsp_near_free(apsp_near* near);

/* The eccentricity of a vertex is the largest distance to a vertex that it reaches. */
typedef struct apsp_extremes {
  size_t size;             /* sizeof(apsp_extremes), set by the caller */
  double diameter;         /* the largest eccentricity; 0 if no vertex reaches another */
  double radius;           /* the least of the vertices that reach all others; infinite if there are none */
  int32_t from, to;        /* two vertices whose distance is the diameter; -1 if there are none */
  int32_t periphery_count; /* how many vertices have that eccentricity */
  int32_t center_count;    /* how many of those that reach all others have the least one */
} apsp_extremes;
/* Finds them from a few searches, exactly. periphery, center: room for n vertices each, or NULL; their vertices are written
 * there in ascending order. */
APSP_API apsp_status apsp_find_extremes(const apsp_graph* graph, const apsp_options* options, apsp_extremes* extremes,
                                        int32_t* periphery, int32_t* center);

/* Writes the betweenness of each vertex, (n): the sum over all pairs of other vertices of the part of their shortest paths
 * that lead through it. If every edge has a reverse of the same weight, and `directed` is 0, each pair counts once, else in
 * both directions. samples: from so many sources, drawn by `seed`, it is estimated; 0: all. Whole weights of 0 count as infinitely
 * small; real ones must be above 0. */
APSP_API apsp_status apsp_betweenness(const apsp_graph* graph, int32_t samples, uint64_t seed, int directed,
                                      const apsp_options* options, double* vertices);
/* Writes how many samples keep each value within `error` with probability 0.9, if it is divided by the number of pairs
 * that count for it: (n - 1) * (n - 2) for a vertex, n * (n - 1) for an edge, or half as many if each pair counts once.
 * error: above 0. edges: 0 for apsp_betweenness(), otherwise for apsp_edge_betweenness(). */
APSP_API apsp_status apsp_betweenness_samples(const apsp_graph* graph, double error, int edges, int32_t* samples);
/* Finds the betweenness of each edge: the sum over all pairs of vertices of the part of their shortest paths that lead
 * along it. Parallel edges are one edge, and edges from a vertex to itself are left out. The answer is a sparse matrix,
 * as of distances: the edge from u to v has its value in row u and column v, and apsp_near_copy() writes doubles.
 * undirected: 1 if each pair counted once, else 0; may be NULL. The two directions of an edge then have the same value,
 * that of both together. The other parameters and the weights are as above. The caller owns the answer:
 * apsp_near_free(). */
APSP_API apsp_status apsp_edge_betweenness(const apsp_graph* graph, int32_t samples, uint64_t seed, int directed,
                                           const apsp_options* options, apsp_near** edges, int* undirected);

/* Prepares a graph for single pairs. Its arrays may change afterwards. The caller owns it: apsp_pairs_free(). */
APSP_API apsp_status apsp_pairs_make(const apsp_graph* graph, const apsp_options* options, apsp_pairs** pairs);
/* The same for paths, too. If the graph has small separators, a path takes no search then, but some tens of
 * microseconds. Preparing may take more time and memory, and distances take longer. */
APSP_API apsp_status apsp_pairs_make_for_paths(const apsp_graph* graph, const apsp_options* options,
                                               apsp_pairs** pairs);
/* Writes the distances from from[i] to to[i], (count), of the graph's type. */
APSP_API apsp_status apsp_pairs_distances(apsp_pairs* pairs, size_t count, const int32_t* from, const int32_t* to,
                                          void* distances);
/* A shortest path between two vertices, as apsp_result_path() writes it: up to `room` vertices, both ends included and
 * none twice, and how many there are into `count`: 0 if there is no path, 1 if `from` is `to`. If `count` is more than
 * `room`, the rest is left out. After apsp_pairs_make(), each path is searched for. A path of int32 weights may be
 * longer than int32 holds; APSP_INEXACT if another one reaches the infinity of its type. */
APSP_API apsp_status apsp_pairs_path(apsp_pairs* pairs, int32_t from, int32_t to, int32_t* vertices, size_t room,
                                     size_t* count);
/* pairs: may be NULL. */
APSP_API void apsp_pairs_free(apsp_pairs* pairs);

#ifdef __cplusplus
}
#endif

#endif
