// Most peers are reached alike, so each kind of contact is encoded once.
#include <libam/tools/am-info/rank_report.hpp>

#include <libam/boot/run/protocol.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace am::detail::info {
namespace {

using seam::add_number;
using seam::cursor;

void add_size(std::string& to, std::size_t count) {
  add_number(to, static_cast<std::uint32_t>(count));
}

void add_text(std::string& to, const std::string& text) {
  add_size(to, text.size());
  to += text;
}

void add_attempts(std::string& to, const std::vector<seam::attempt>& attempts) {
  add_size(to, attempts.size());
  for (const seam::attempt& one : attempts) {
    add_text(to, one.name);
    add_text(to, one.outcome);
  }
}

bool read_text(cursor& from, std::string& text) {
  const auto size = from.number();
  const auto bytes = size ? from.bytes(*size) : std::nullopt;
  if (bytes) text.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return bytes.has_value();
}

// The count is not trusted: no memory is reserved for it.
template <class Value, class Read>
bool read_many(cursor& from, std::vector<Value>& values, Read&& read) {
  const auto count = from.number();
  for (std::uint32_t i = 0; count && i < *count; ++i)
    if (!read(values.emplace_back())) return false;
  return count.has_value();
}

bool read_attempts(cursor& from, std::vector<seam::attempt>& attempts) {
  return read_many(from, attempts, [&](seam::attempt& one) {
    return read_text(from, one.name) && read_text(from, one.outcome);
  });
}

}  // namespace

std::string encode(const rank_report& report) {
  std::vector<contact> kinds = report.contacts;
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  std::string bytes;
  add_attempts(bytes, report.transports);
  add_size(bytes, kinds.size());
  for (const contact& one : kinds) {
    add_text(bytes, one.transport);
    add_text(bytes, one.about);
    add_attempts(bytes, one.tried);
  }
  add_size(bytes, report.contacts.size());
  for (const contact& one : report.contacts)
    add_size(bytes, static_cast<std::size_t>(
                        std::distance(kinds.begin(), std::ranges::lower_bound(kinds, one))));
  return bytes;
}

std::optional<rank_report> decode(std::span<const std::byte> bytes) {
  cursor from(bytes);
  rank_report report;
  std::vector<contact> kinds;
  const bool whole = read_attempts(from, report.transports) &&
                     read_many(from, kinds,
                               [&](contact& one) {
                                 return read_text(from, one.transport) &&
                                        read_text(from, one.about) &&
                                        read_attempts(from, one.tried);
                               }) &&
                     read_many(from, report.contacts, [&](contact& one) {
                       const auto kind = from.number();
                       const bool known = kind && *kind < kinds.size();
                       if (known) one = kinds[*kind];
                       return known;
                     });
  if (!whole || !from.empty()) return std::nullopt;
  return report;
}

}  // namespace am::detail::info
