// The probes of LogP: issues of requests with computation between them. Each takes one sample.
#pragma once

#include <calib/program/probes.hpp>

#include <algorithm>
#include <cstdint>

namespace calib::probe {

// A clock, and computation of a known length: program/stage.hpp, or a simulated one.
template <class Stage>
concept stages = clocks<Stage> && requires(const Stage& stage, std::uint64_t steps, double ns) {
  { stage.steps_for(ns) } -> std::same_as<std::uint64_t>;
  stage.compute(steps);
};

// Fills the window until a layer that widens it when it is full does so no more. What a round trip
// brings may be the other side's word that it may be wider.
template <signs Layer>
void widen_window(Layer& layer) {
  std::uint64_t before = 0;
  for (std::uint64_t window = layer.window(); window > before; window = layer.window()) {
    before = window;
    layer.ping();
  }
}

// Whatever first messages bring about is over then. What a request took in a flood of them.
template <signs Layer, stages Stage>
double break_in(Layer& layer, const Stage& stage) {
  rtt(layer, stage, 100);
  widen_window(layer);
  return rr_flood(layer, stage, std::min<std::uint64_t>(layer.flood_length(), 10'000));
}

// Issues `messages` requests from quiet, `batches` times: nanoseconds for each, answers that come
// later left out.
template <asks Layer, stages Stage>
double issue(Layer& layer, const Stage& stage, std::uint64_t messages, std::uint64_t batches,
             std::uint64_t steps) {
  double ns = 0;
  for (std::uint64_t b = 0; b < batches; ++b) {
    const std::uint64_t start = stage.now();
    for (std::uint64_t i = 0; i < messages; ++i) {
      layer.ask();
      stage.compute(steps);
    }
    ns += since(stage, start);
    layer.drain();
  }
  return ns / static_cast<double>(batches * messages);
}

// The same instructions for the two that follow, whose times are held against each other: what
// another copy of this loop takes may differ by more than they do.
template <asks Layer, stages Stage>
[[gnu::noinline]] void go_on(Layer& layer, const Stage& stage, std::uint64_t messages,
                             std::uint64_t steps) {
  for (std::uint64_t i = 0; i < messages; ++i) {
    layer.ask();
    stage.compute(steps);
  }
}

// Issues when as many have gone before without a pause.
template <asks Layer, stages Stage>
double steady_issue(Layer& layer, const Stage& stage, std::uint64_t messages, std::uint64_t steps) {
  go_on(layer, stage, messages, steps);
  const std::uint64_t start = stage.now();
  go_on(layer, stage, messages, steps);
  const double ns = since(stage, start);
  layer.drain();
  return ns / static_cast<double>(messages);
}

// Issues from quiet, and waits for the last answer.
template <asks Layer, stages Stage>
double answered_flood(Layer& layer, const Stage& stage, std::uint64_t messages) {
  const std::uint64_t start = stage.now();
  go_on(layer, stage, messages, 0);
  layer.drain();
  return since(stage, start) / static_cast<double>(messages);
}

// What the computation takes by itself.
template <stages Stage>
double delay(const Stage& stage, std::uint64_t count, std::uint64_t steps) {
  const std::uint64_t start = stage.now();
  for (std::uint64_t i = 0; i < count; ++i) stage.compute(steps);
  return since(stage, start) / static_cast<double>(count);
}

template <stages Stage, class What>
double once(const Stage& stage, What&& what) {
  const std::uint64_t start = stage.now();
  what();
  return since(stage, start);
}

}  // namespace calib::probe
