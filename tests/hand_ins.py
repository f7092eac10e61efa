"""The shapes of hand-ins that the repositories of real courses have. All but those of WRONG_HOST_SHAPES are right.

SHAPES: name → {path: content}; with the path "" the name is that of a file, else of a folder. HOST_SHAPES are for a CPU.
make(folder, copies) writes them. `python3 tests/hand_ins.py FOLDER [COPIES] [--host]` does that for a trial.
"""
import sys
from pathlib import Path

STEP = """__global__ void step(int n, int k, int* g) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) g[i * n + j] = min(g[i * n + j], g[i * n + k] + g[k * n + j]);
}
"""
APSP = """void apsp(int n, int* graph) {
  const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  for (int k = 0; k < n; ++k) step<<<grid, block>>>(n, k, graph);
}
"""
NAIVE = STEP + APSP
REF = NAIVE.replace("void apsp", "void apspRef").replace("step", "refStep")
BOM = "\ufeff"

SHAPES = {
    "folder": {"apsp.cu": NAIVE},
    "file.cu": {"": NAIVE},
    "header_beside": {"apsp.cu": '#include "step.h"\n' + APSP, "step.h": "#pragma once\n" + STEP},
    "cuh_in_a_folder": {"apsp.cu": '#include "include/step.cuh"\n' + APSP, "include/step.cuh": STEP},
    "cu_included": {"apsp.cu": '#include "step.cu"\n' + APSP, "step.cu": STEP},
    "crlf": {"apsp.cu": NAIVE.replace("\n", "\r\n")},
    "bom": {"apsp.cu": BOM + NAIVE},
    "bom_crlf_header": {"apsp.cu": BOM + '#include "step.h"\r\n' + APSP, "step.h": BOM + STEP.replace("\n", "\r\n")},
    "using_namespace_std.cu": {"": "#include <algorithm>\n#include <iostream>\nusing namespace std;\n" + NAIVE},
    "unused_main.cu": {"": NAIVE + "#include <cstdio>\nint main() { printf(\"test\\n\"); return 0; }\n"},
    "own_ref": {"apsp.cu": '#include "apsp.h"\n' + NAIVE + REF},
    "supplied_headers": {"apsp.cu": '#include "apsp.h"\n#include "cuda_utils.h"\n'
                                    + NAIVE.replace("graph);\n}", "graph);\n  CHK_CUDA_ERR(cudaDeviceSynchronize());\n}")},
    "own_apsp_h": {"apsp.cu": '#include "apsp.h"\n' + NAIVE, "apsp.h": "#pragma once\nvoid apsp(int n, int* graph);\n"},
    "extern_c.cu": {"": NAIVE.replace("void apsp", 'extern "C" void apsp')},
    "with_report": {"apsp.cu": NAIVE, "Makefile": "all:\n\tnvcc apsp.cu\n", "README.md": "# Report\n",
                    "report/report.pdf": "%PDF-1.4\n", "main.cpp": "int main() {}\n", ".gitignore": "*.o\n"},
    "umlauts.cu": {"": "// Übung 3: Kürzeste Wege, 最短路径\n" + NAIVE},
    "Zoë Åkesson (2)": {"apsp.cu": NAIVE},
    "it's; $(here).cu": {"": NAIVE},
    "templates.cu": {"": "template <int kSide> " + STEP + APSP.replace("step<<<", "step<16><<<")},
    "constant_memory.cu": {"": "__constant__ int zero;\n__device__ int counter;\n" + NAIVE},
    "thrust.cu": {"": "#include <thrust/device_ptr.h>\n#include <thrust/reduce.h>\n" + NAIVE.replace(
        "graph);\n}", "graph);\n  thrust::reduce(thrust::device_pointer_cast(graph), thrust::device_pointer_cast(graph) + n);\n}")},
    "bits.cu": {"": "#include <bits/stdc++.h>\n" + NAIVE},
    "no_newline_at_end.cu": {"": NAIVE.rstrip("\n")},
    "prints.cu": {"": "#include <cstdio>\n" + NAIVE.replace("graph);\n}", "graph);\n  printf(\"n = %d\\n\", n);\n}")},
}


LOOPS = """void apsp(int n, int* graph) {
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      const int first = graph[i * n + k];
      for (int j = 0; j < n; ++j) {
        const int sum = first + graph[k * n + j];
        graph[i * n + j] = sum < graph[i * n + j] ? sum : graph[i * n + j];
      }
    }
}
"""
THREADS = LOOPS.replace("    for (int i", "#pragma omp parallel for\n    for (int i")
BRANCH = LOOPS.replace("graph[i * n + j] = sum < graph[i * n + j] ? sum : graph[i * n + j];",
                       "if (sum < graph[i * n + j]) graph[i * n + j] = sum;")

HOST_SHAPES = {
    "loops.cpp": {"": LOOPS},
    "threads.cpp": {"": "#include <omp.h>\n" + THREADS},
    "branch": {"apsp.cpp": BRANCH, "README.md": "# Report\n", "Makefile": "all:\n\tg++ apsp.cpp\n"},
    "plain.c": {"": LOOPS},
    "header": {"apsp.cpp": '#include "step.h"\n', "step.h": "#pragma once\n" + LOOPS},
    "crlf_bom.cpp": {"": BOM + BRANCH.replace("\n", "\r\n")},
    "std.cpp": {"": "#include <bits/stdc++.h>\nusing namespace std;\n" + LOOPS},
    "vector.cpp": {"": "#include <algorithm>\n#include <vector>\n" + LOOPS.replace("void apsp", "static void work")
                   + "void apsp(int n, int* graph) {\n  std::vector<int> copy(graph, graph + n * n);\n"
                     "  work(n, copy.data());\n  std::copy(copy.begin(), copy.end(), graph);\n}\n"},
    "王小明.cpp": {"": "// 最短路径\n" + THREADS},
    "extern_c.cpp": {"": 'extern "C" ' + LOOPS},
}
# Wrong in every call, so that each grading gives them the same verdict.
WRONG_HOST_SHAPES = {
    "last_k.cpp": {"": LOOPS.replace("k < n", "k < n - 1")},
    "k_innermost.cpp": {"": LOOPS.replace("int k = 0; k < n; ++k", "int j = 0; j < n; ++j").replace(
        "graph[i * n + k];\n      for (int j = 0; j < n; ++j) {", "0;\n      for (int k = 0; k < n; ++k) {").replace(
        "first + graph[k * n + j]", "first + graph[i * n + k] + graph[k * n + j]")},
    "no_semicolon.cpp": {"": LOOPS.replace("graph[k * n + j];", "graph[k * n + j]")},
}


def make(folder, copies=None, shapes=tuple(SHAPES), own=False):
    """Writes so many hand-ins, or one of each shape, in turn; returns their names. own: each has a comment of its own,
    so that none has the content of another one, which would be checked and timed once for both."""
    names = []
    for i in range(copies or len(shapes)):
        shape = shapes[i % len(shapes)]
        name = shape if copies is None else f"{i:03}-{shape}"
        for path, content in {**SHAPES, **HOST_SHAPES, **WRONG_HOST_SHAPES}[shape].items():
            if own and path in ("", *(f"apsp.{end}" for end in ("c", "cpp", "cu"))):
                content += f"// by {i:03}\n"
            target = Path(folder) / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode())
        names.append(name)
    return names


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--host"]
    make(arguments[0], int(arguments[1]) if len(arguments) > 1 else None,
         tuple(HOST_SHAPES if "--host" in sys.argv else SHAPES))
