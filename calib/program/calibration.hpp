// Measures what the LogP and LogGP parameters of a peer are derived from, at the requester.
#pragma once

#include <calib/program/cpu.hpp>
#include <calib/program/options.hpp>
#include <calib/program/signature_probe.hpp>
#include <calib/program/size_probe.hpp>

namespace calib {

template <logp_layer Layer, piece_mover Mover>
void calibrate(Layer& layer, Mover&& pieces, const options& opts) {
  const processor cpu;
  reporter sink;
  const sample_plan plan = plan_of(opts);
  signature_probe(layer, cpu, sink, plan).measure();
  size_probe(pieces, cpu, sink, plan.for_points()).measure();
}

}  // namespace calib
