// Each step is a transformation of Thrust, and the matrix a vector of it.
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

struct Relax {
  int n, k;
  const int* from;

  __device__ int operator()(int at) const {
    const int through = from[at / n * n + k] + from[k * n + at % n];
    return through < from[at] ? through : from[at];
  }
};

void apsp(int n, int* graph) {
  thrust::device_ptr<int> begin(graph);
  thrust::device_vector<int> one(begin, begin + n * n), other(n * n);
  const thrust::counting_iterator<int> first(0);
  for (int k = 0; k < n; ++k) {
    thrust::transform(first, first + n * n, other.begin(), Relax{n, k, thrust::raw_pointer_cast(one.data())});
    one.swap(other);
  }
  thrust::copy(one.begin(), one.end(), begin);
}
