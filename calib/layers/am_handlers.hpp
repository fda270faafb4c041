// The handlers of the am layer. They are compiled apart from the loops that are timed, as the
// handlers of an ordinary program may be, and change memory that is checked after each sample.
#pragma once

#include <am/am.hpp>
#include <calib/program/bulk.hpp>

#include <span>

namespace calib {

// What messages have changed at this rank; the context of its endpoint.
struct ledger {
  am::word sum = 0;        // of all words of all requests handled here
  am::word sum_there = 0;  // the same at the other rank, by the last answer
  am::word answers = 0;    // handled here
  bool leave = false;

  // The pieces of bulk data of one sample.
  struct {
    bulk what{};                // told before each series
    std::uint64_t come = 0;     // here
    std::uint64_t sum = 0;      // of their tallies
    std::uint64_t tallies = 0;  // the same, when all have come; at rank 0
    bool ended = false;         // all have come; at rank 0
  } pieces;

  // Pieces of any size, each with a number in front.
  struct {
    am::word sum = 0;        // of the numbers of those that have come here
    am::word sum_there = 0;  // the same at the other rank, by its last word
    am::word told = 0;       // so often
    am::word got = 0;        // so many from the other rank
    am::word got_sum = 0;    // of their numbers
  } numbered;

  // The requests with a payload of one sample.
  struct {
    am::word come = 0;       // here
    am::word sum = 0;        // of their words
    am::word sum_there = 0;  // the same at the other rank, by its last word
    bool told = false;       // that word has come
    bool ready = false;      // the other rank is
    // Rank 1: as many go back in what remains of a sample, from this number on; 0: none.
    am::word bytes = 0;
    am::word count = 0;
    am::word first = 0;
    am::word orders = 0;  // so many
  } mediums;

  // Among several ranks.
  struct {
    am::word sum = 0;      // of all words of this rank's requests, as their answers have them
    am::word answers = 0;  // so many
    am::word whom = 0;     // to ask, by the last order
    am::word how = 0;      // so (work)
    am::word orders = 0;   // so many
    am::word ready = 0;    // ranks, since the last order; at rank 0
  } crew;
};

// Requests of four words: one that is answered with `answered`, and one that is not.
void asked(am::request_token token, am::word a, am::word b, am::word c, am::word d);
void posted(am::request_token token, am::word a, am::word b, am::word c, am::word d);
void answered(am::reply_token token, am::word sum, am::word b, am::word c, am::word d);
void told_to_leave(am::request_token token);

// Bulk data: what will come, a piece that has come here, the answer to the last of them, and a
// piece that rank 0 has got.
void told_what_comes(am::request_token token, am::word bytes, am::word touched);
void stored(am::request_token token, void* piece, std::size_t bytes);
void all_stored(am::reply_token token, am::word tallies);
void got(am::reply_token token, void* piece, std::size_t bytes);

// Numbered pieces: one that was stored here, one that came with a request, one that was got; and
// the question which was the last.
void piece_stored(am::request_token token, void* piece, std::size_t bytes);
void piece_came(am::request_token token, std::span<const std::byte> piece);
void piece_got(am::reply_token token, void* piece, std::size_t bytes);
void asked_for_sum(am::request_token token);
void told_sum(am::reply_token token, am::word sum);

// Requests with a payload: rank 0 says what rank 1 is to send when the first of them comes (a count
// of 0: nothing), and rank 1 that it is ready; a message; and the question what they added up to.
void told_what_to_send(am::request_token token, am::word bytes, am::word count, am::word first);
void ready_for_mediums(am::request_token token);
void medium_came(am::request_token token, std::span<const std::byte> payload);
void asked_about_mediums(am::request_token token);
void told_about_mediums(am::reply_token token, am::word sum);

// Among several ranks: a request of four words and its answer, which are no others than `asked` and
// `answered`, but answer for one asker alone; an order, and that it is followed.
void crew_asked(am::request_token token, am::word a, am::word b, am::word c, am::word d);
void crew_answered(am::reply_token token, am::word sum, am::word b, am::word c, am::word d);
void told_whom_to_ask(am::request_token token, am::word whom, am::word how);
void crew_ready(am::request_token token);

}  // namespace calib
