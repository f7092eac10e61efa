// CUDA's virtual memory management gives device memory a file descriptor: the memory is created,
// exported, imported by the other process, and mapped by both. CUDA's older handles (cudaIpc) fail
// across PID namespaces. The functions belong to the driver, which only machines with a GPU have;
// therefore they are found at run time.
#include "device/shared_gpu.h"

#include <cuda.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "device/cuda_memory.h"

namespace engine {

namespace {

/// The driver's functions.
struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemExportToShareableHandle) exportHandle = nullptr;
  decltype(&cuMemImportFromShareableHandle) importHandle = nullptr;
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) unreserve = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) setAccess = nullptr;
};

template <class Function>
void find(const char* name, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 13000
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#elif CUDART_VERSION >= 12000
  const cudaError_t status = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault);
#endif
  if (status != cudaSuccess || found == nullptr)
    throw Error(ErrorCode::kGpu, std::string("this driver has no ") + name +
                                ", with which memory is shared with a submission: update it");
  function = reinterpret_cast<Function>(found);
}

const Driver& driver() {
  static const Driver found = [] {
    Driver d;
    find("cuMemGetAllocationGranularity", d.granularity);
    find("cuMemCreate", d.create);
    find("cuMemRelease", d.release);
    find("cuMemExportToShareableHandle", d.exportHandle);
    find("cuMemImportFromShareableHandle", d.importHandle);
    find("cuMemAddressReserve", d.reserve);
    find("cuMemAddressFree", d.unreserve);
    find("cuMemMap", d.map);
    find("cuMemUnmap", d.unmap);
    find("cuMemSetAccess", d.setAccess);
    return d;
  }();
  return found;
}

void require(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const bool memory = result == CUDA_ERROR_OUT_OF_MEMORY;
  throw Error(memory ? ErrorCode::kMemory : ErrorCode::kGpu,
              std::string("device memory shared with a submission: ") + call +
                  (memory ? ": out of memory: solve a smaller graph"
                          : ": CUDA error " + std::to_string(static_cast<int>(result))));
}

class GpuWords : public SharedWords {
 public:
  explicit GpuWords(std::size_t count) {
    cudaFree(nullptr);  // the driver's functions need the context that the runtime makes
    place_.type = CU_MEM_LOCATION_TYPE_DEVICE;
    cudaGetDevice(&place_.id);
    kind_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind_.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    kind_.location = place_;
    std::size_t unit = 0;
    require(driver().granularity(&unit, &kind_, CU_MEM_ALLOC_GRANULARITY_MINIMUM), "granularity");
    size_ = count;
    bytes_ = (count * sizeof(int) + unit - 1) / unit * unit;
  }
  ~GpuWords() override {
    if (mapped_) driver().unmap(address_, bytes_);
    if (address_ != 0) driver().unreserve(address_, bytes_);
    if (created_) driver().release(memory_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  void create() {
    CUresult result = driver().create(&memory_, bytes_, &kind_, 0);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
      emptyPool();
      result = driver().create(&memory_, bytes_, &kind_, 0);
    }
    require(result, "cuMemCreate");
    created_ = true;
    require(
        driver().exportHandle(&descriptor_, memory_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "cuMemExportToShareableHandle");
    descriptor_ = aboveStandard(descriptor_);
  }
  void import(int descriptor) {
    descriptor_ = descriptor;
    void* const handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor));
    require(driver().importHandle(&memory_, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            "cuMemImportFromShareableHandle");
    created_ = true;
  }
  void map() {
    require(driver().reserve(&address_, bytes_, 0, 0, 0), "cuMemAddressReserve");
    require(driver().map(address_, bytes_, 0, memory_, 0), "cuMemMap");
    mapped_ = true;
    const CUmemAccessDesc access = {place_, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    require(driver().setAccess(address_, bytes_, &access, 1), "cuMemSetAccess");
    data_ = reinterpret_cast<int*>(address_);
  }

 private:
  CUmemLocation place_{};
  CUmemAllocationProp kind_{};
  std::size_t bytes_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr address_ = 0;
  bool created_ = false, mapped_ = false;
};

}  // namespace

std::unique_ptr<SharedWords> shareOnGpu(std::size_t count) {
  auto words = std::make_unique<GpuWords>(count);
  words->create();
  words->map();
  return words;
}

std::unique_ptr<SharedWords> openSharedOnGpu(int descriptor, std::size_t count) {
  auto words = std::make_unique<GpuWords>(count);
  words->import(descriptor);
  words->map();
  return words;
}

}  // namespace engine
