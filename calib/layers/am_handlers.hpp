// The handlers of the am layer. They are compiled apart from the timed loops, as the handlers of an
// ordinary program may be, and change state that is checked after each sample.
#pragma once

#include <am/am.hpp>
#include <calib/program/bulk.hpp>

#include <span>

namespace calib {

// The state that the handlers of this rank change; the context of its endpoint.
struct handler_state {
  am::word sum = 0;         // of all words of all requests handled here
  am::word remote_sum = 0;  // the peer's sum, from its last reply
  am::word replies = 0;     // handled here
  bool leave = false;

  // Bulk data, in one sample.
  struct {
    bulk_spec what{};            // set before each series
    std::uint64_t received = 0;  // pieces
    std::uint64_t sum = 0;       // of their checksums
    std::uint64_t checksum = 0;  // at rank 0: the sum over all pieces
    bool done = false;           // at rank 0: all pieces have arrived
  } pieces;

  // Pieces of any size that start with a number.
  struct {
    am::word sum = 0;         // of the numbers received here
    am::word remote_sum = 0;  // the peer's sum, from its last report
    am::word reports = 0;     // received
    am::word gets = 0;        // completed
    am::word get_sum = 0;     // of their numbers
  } numbered_pieces;

  // Requests with a payload, in one sample.
  struct {
    am::word received = 0;    // requests
    am::word sum = 0;         // of their words
    am::word remote_sum = 0;  // the peer's sum
    bool reported = false;    // remote_sum is valid
    bool ready = false;       // the peer is ready
    // At rank 1: the order to send `count` requests, numbered from `first`.
    am::word bytes = 0;
    am::word count = 0;
    am::word first = 0;
    am::word orders = 0;  // received
  } mediums;

  // LogP among several ranks.
  struct {
    am::word sum = 0;      // of the words of this rank's requests, from their replies
    am::word replies = 0;  // handled here
    am::word target = 0;   // the rank to send requests to, from the last order
    am::word load = 0;     // a `traffic`, from the last order
    am::word orders = 0;   // received
    am::word ready = 0;    // at rank 0: the ranks that follow the last order
  } multi_rank;
};

// Requests of four words, with a reply and without.
void on_request(am::request_token token, am::word a, am::word b, am::word c, am::word d);
void on_post(am::request_token token, am::word a, am::word b, am::word c, am::word d);
void on_reply(am::reply_token token, am::word sum, am::word b, am::word c, am::word d);
void on_leave(am::request_token token);

// Bulk data: the pieces to expect, a stored piece, the reply to the last one, and a completed get.
void on_bulk_spec(am::request_token token, am::word bytes, am::word touched);
void on_store(am::request_token token, void* piece, std::size_t bytes);
void on_stores_done(am::reply_token token, am::word checksum);
void on_get(am::reply_token token, void* piece, std::size_t bytes);

// Numbered pieces: a stored one, one in a request, a completed get; the query of their sum, its
// reply, which also answers the order to evict memory of this rank from the caches; and this order.
void on_piece_store(am::request_token token, void* piece, std::size_t bytes);
void on_piece_medium(am::request_token token, std::span<const std::byte> piece);
void on_piece_get(am::reply_token token, void* piece, std::size_t bytes);
void on_number_sum_query(am::request_token token);
void on_number_sum(am::reply_token token, am::word sum);
void on_eviction(am::request_token token, am::word address, am::word bytes);

// Requests with a payload: the order of rank 0 what rank 1 shall send after the first request (a
// count of 0: nothing), rank 1's confirmation, a request; the query of the sum, and its reply.
void on_medium_order(am::request_token token, am::word bytes, am::word count, am::word first);
void on_medium_ready(am::request_token token);
void on_medium(am::request_token token, std::span<const std::byte> payload);
void on_medium_sum_query(am::request_token token);
void on_medium_sum(am::reply_token token, am::word sum);

// LogP among several ranks: a request of four words and its reply, as above, but with a sum per
// requester; an order, and its confirmation.
void on_multi_rank_request(am::request_token token, am::word a, am::word b, am::word c, am::word d);
void on_multi_rank_reply(am::reply_token token, am::word sum, am::word b, am::word c, am::word d);
void on_traffic_order(am::request_token token, am::word target, am::word load);
void on_traffic_ready(am::request_token token);

}  // namespace calib
