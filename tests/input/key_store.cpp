// Segments, and the job's key-value store.
#include "table.hpp"

#include <cstdint>

namespace am_test {

namespace {

am_seg* segment = nullptr;  // made by every rank, in the first row that needs one

const am_seg* made(const place& at) {
  if (segment == nullptr) (void)am_seg_create(at.ep, 4096, &segment);
  return segment;
}

void add_bad_sizes(table& rows) {
  const std::pair<std::size_t, am_status> sizes[] = {{0, AM_ARGUMENT_SIZE},
                                                     {SIZE_MAX, AM_ARGUMENT_SIZE},
                                                     {std::size_t{1} << 63, AM_ARGUMENT_SIZE},
                                                     {std::size_t{1} << 60, AM_RESOURCE_SPACE}};
  for (const auto& [bytes, status] : sizes) {
    const std::string size = std::to_string(bytes);
    const std::string line = status == AM_ARGUMENT_SIZE
                                 ? "a segment of " + size + " bytes: it may have 1 to [0-9]+"
                                 : ".*" + size + " .*bytes.*";
    rows.push_back(
        {"am_seg_create", "a size that cannot be", status, line, [bytes = bytes](const place& at) {
           am_seg* none = nullptr;
           return am_seg_create(at.ep, bytes, &none);
         }});
    rows.push_back({"am_seg_create_all", "a size that cannot be", status, line,
                    [bytes = bytes](const place& at) {
                      am_seg* none = nullptr;
                      return am_seg_create_all(at.ep, bytes, &none);
                    }});
  }
}

const std::string good_key = "input.key";

void add_keys(table& rows) {
  struct bad_key {
    const char* what;
    std::string key;
    am_status status;
    std::string line;
  };
  const bad_key keys[] = {
      {"an empty key", "", AM_ARGUMENT_SIZE, ": a key of 0 bytes: it may have 1 to 250"},
      {"a key of 251", std::string(251, 'k'), AM_ARGUMENT_SIZE,
       ": a key of 251 bytes: it may have 1 to 250"},
      {"a key of 1000", std::string(1000, 'k'), AM_ARGUMENT_SIZE,
       ": a key of 1000 bytes: it may have 1 to 250"},
  };
  for (const bad_key& bad : keys) {
    rows.push_back({"am_job_put", bad.what, bad.status, "am_job_put" + bad.line,
                    [bad](const place& at) { return am_job_put(at.ep, bad.key.c_str(), "x", 1); }});
    rows.push_back(
        {"am_job_get", bad.what, bad.status, "am_job_get" + bad.line, [bad](const place& at) {
           std::size_t bytes = 0;
           return am_job_get(at.ep, at.rank, bad.key.c_str(), nullptr, &bytes);
         }});
  }
  for (const char* key : {"k", "a key\nof two lines", "\x01\xff%s{}"})
    rows.push_back({"am_job_put", "an odd key, which is allowed", AM_OK, "",
                    [key](const place& at) { return am_job_put(at.ep, key, nullptr, 0); }});
  rows.push_back({"am_job_put", "no key", AM_ARGUMENT_ADDRESS,
                  "am_job_put: key is null \\(0x0\\): it must be the address of a text",
                  [](const place& at) { return am_job_put(at.ep, nullptr, "x", 1); }});
  rows.push_back({"am_job_get", "no key", AM_ARGUMENT_ADDRESS,
                  "am_job_get: key is null \\(0x0\\): it must be the address of a text",
                  [](const place& at) {
                    std::size_t bytes = 0;
                    return am_job_get(at.ep, at.rank, nullptr, nullptr, &bytes);
                  }});
  rows.push_back({"am_job_get", "a missing key, of two lines", AM_ARGUMENT_SETTING,
                  "am_job_get: rank [0-9]+ had not put \"no\\?body\" before the last fence: .*",
                  [](const place& at) {
                    std::size_t bytes = 0;
                    return am_job_get(at.ep, at.rank, "no\nbody", nullptr, &bytes);
                  }});
}

void add_blobs(table& rows) {
  rows.push_back({"am_job_put", "bytes at a null address", AM_ARGUMENT_ADDRESS,
                  "am_job_put: a blob of 7 bytes at a null address .*",
                  [](const place& at) { return am_job_put(at.ep, good_key.c_str(), nullptr, 7); }});
  for (const std::size_t bytes : {(std::size_t{16} << 20) + 1, std::size_t{1} << 60, SIZE_MAX})
    rows.push_back(
        {"am_job_put", "more than may be put", AM_ARGUMENT_SIZE,
         "put: [0-9]{8,} bytes before one fence; 16777216 may be put",
         [bytes](const place& at) { return am_job_put(at.ep, good_key.c_str(), "x", bytes); }});
  rows.push_back({"am_job_put", "a good one, for the rows below", AM_OK, "",
                  [](const place& at) { return am_job_put(at.ep, good_key.c_str(), "four", 4); }});
  rows.push_back({"am_job_fence", "nothing to be bad", AM_OK, "",
                  [](const place& at) { return am_job_fence(at.ep); }});
  rows.push_back({"am_job_get", "a rank too far", AM_ARGUMENT_RANK,
                  std::string("am_job_get of rank [0-9]+") + these_ranks, [](const place& at) {
                    std::size_t bytes = 0;
                    return am_job_get(at.ep, at.ranks, good_key.c_str(), nullptr, &bytes);
                  }});
  rows.push_back(
      {"am_job_get", "too little room: the size is returned", AM_ARGUMENT_SIZE,
       "am_job_get: the blob \"input.key\" of rank [0-9]+ has 4 bytes, and there is room for 3: "
       "call again with more room",
       [](const place& at) {
         char room[3];
         std::size_t bytes = sizeof room;
         const am_status result = am_job_get(at.ep, at.next(), good_key.c_str(), room, &bytes);
         return bytes == 4 ? result : AM_ENDPOINT_CORRUPT;
       }});
  rows.push_back({"am_job_get", "room at a null address", AM_ARGUMENT_ADDRESS,
                  "am_job_get: data is null \\(0x0\\): it must be the address of the room",
                  [](const place& at) {
                    std::size_t bytes = 4;
                    return am_job_get(at.ep, at.next(), good_key.c_str(), nullptr, &bytes);
                  }});
  rows.push_back({"am_job_get", "no size of the room", AM_ARGUMENT_ADDRESS,
                  "am_job_get: bytes is null \\(0x0\\): it must be the address of the room's size",
                  [](const place& at) {
                    char room[4];
                    return am_job_get(at.ep, at.next(), good_key.c_str(), room, nullptr);
                  }});
}

}  // namespace

void add_segments(table& rows) {
  const std::string no_place = ": seg is null \\(0x0\\): it must be the address of an am_seg\\*";
  rows.push_back({"am_seg_create", "nowhere to put it", AM_ARGUMENT_ADDRESS,
                  "am_seg_create" + no_place,
                  [](const place& at) { return am_seg_create(at.ep, 1, nullptr); }});
  rows.push_back({"am_seg_create_all", "nowhere to put it, at all ranks", AM_ARGUMENT_ADDRESS,
                  "am_seg_create_all" + no_place,
                  [](const place& at) { return am_seg_create_all(at.ep, 1, nullptr); }});
  rows.push_back(
      {"am_seg_create_all", "nowhere to put it, at rank 0", AM_OK, "", [](const place& at) {
         am_seg* made_here = nullptr;
         const am_status result = am_seg_create_all(at.ep, 1, at.rank == 0 ? nullptr : &made_here);
         // The other ranks learn that there is none.
         return as_status(result == (at.rank == 0 ? AM_ARGUMENT_ADDRESS : AM_RESOURCE_SPACE) &&
                          made_here == nullptr);
       }});
  add_bad_sizes(rows);
  rows.push_back({"am_seg_address", "no segment", AM_OK, "",
                  [](const place&) { return as_status(am_seg_address(nullptr) == nullptr); }});
  rows.push_back({"am_seg_address_at", "no segment", AM_OK, "", [](const place&) {
                    return as_status(am_seg_address_at(nullptr, 0) == nullptr);
                  }});
  rows.push_back({"am_seg_address_at", "a rank too far", AM_OK, "", [](const place& at) {
                    return as_status(am_seg_address_at(made(at), at.ranks) == nullptr &&
                                     am_seg_address_at(made(at), ~am_rank{0}) == nullptr);
                  }});
  rows.push_back({"am_seg_bytes", "no segment", AM_OK, "",
                  [](const place&) { return as_status(am_seg_bytes(nullptr) == 0); }});
  rows.push_back({"am_seg_destroy", "no segment", AM_OK, "",
                  [](const place&) { return am_seg_destroy(nullptr), AM_OK; }});
}

void add_key_store_calls(table& rows) {
  add_keys(rows);
  add_blobs(rows);
}

}  // namespace am_test
