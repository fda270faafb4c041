// The standard input of am-run, for a rank 0 on another host: am-run reads it only as far as the
// agent has room for it, and the agent writes it into the pipe that rank 0 reads.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace am::detail::run {

class input_reader {
 public:
  // `forward` gets what has been read; nothing: the end.
  input_reader(event_loop& loop, std::function<void(std::string_view)> forward)
      : loop_(loop), forward_(std::move(forward)) {}
  ~input_reader() { stop(); }
  input_reader(const input_reader&) = delete;
  input_reader& operator=(const input_reader&) = delete;

  // Gives a job in the background the end of the input, because a read would stop it.
  void start();
  void grant(std::size_t bytes);
  void stop();

 private:
  void watch();
  void read_some();

  event_loop& loop_;
  std::function<void(std::string_view)> forward_;
  std::size_t window_ = input_window;
  bool open_ = false;
  bool watched_ = false;
};

class input_writer {
 public:
  // `taken` is told how many bytes rank 0 has taken.
  input_writer(event_loop& loop, std::function<void(std::size_t)> taken)
      : loop_(loop), taken_(std::move(taken)) {}
  ~input_writer() { close(); }
  input_writer(const input_writer&) = delete;
  input_writer& operator=(const input_writer&) = delete;

  // Makes the pipe and returns its reading end; invalid with errno if that fails.
  base::fd open();
  // False: more than there is room for. No bytes: the end.
  bool write(std::string_view bytes);

 private:
  void write_more();
  void close();

  event_loop& loop_;
  std::function<void(std::size_t)> taken_;
  base::fd pipe_;
  std::string pending_;
  bool ended_ = false;
  bool watched_ = false;
};

}  // namespace am::detail::run
