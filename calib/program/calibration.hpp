// All that a peer's LogP and LogGP are read from, at the side that asks.
#pragma once

#include <calib/program/options.hpp>
#include <calib/program/signature.hpp>
#include <calib/program/sizes.hpp>
#include <calib/program/stage.hpp>

namespace calib {

template <signs Layer, moves_pieces Mover>
void calibrate(Layer& layer, Mover&& pieces, const options& from) {
  const stage with;
  reporter told;
  const thoroughness how{from.samples, from.sample_us * 1e3};
  signature(layer, with, told, how).take();
  sizes(pieces, with, told, how.for_sizes()).take();
}

}  // namespace calib
