// Generated graphs, and those that stay in files, as sources that every rank makes anew.
#pragma once

#include <memory>

#include "base/graph_source.h"
#include "device/device.h"
#include "generate/families.h"

/// A generated graph.
std::shared_ptr<const GraphSource> sourceOf(const Spec& spec);

/// What an image was made of: a generated graph, or one that stays in a file.
std::shared_ptr<const GraphSource> readSource(const SourceImage& image);

/// Writes the graph of a spec into an n×n matrix in a device's memory, whose elements are of the
/// spec's type. Throws Error(kGpu), Error(kMemory).
void generateOn(const Device& device, const Spec& spec, Elements matrix);
