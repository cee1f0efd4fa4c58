// Work shared by the threads of one step.
//
// Whoever is free takes the next part, the calling thread among them: a helper that another process keeps from running
// has taken nothing, and nobody waits for it. That is what OpenMP's barriers cannot do. Between parts helpers look for
// more for a moment, giving their core to whoever wants it, and then sleep.

#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

class Threads {
  public:
    // Forked children have none of these threads; they get an object of their own. None is ever destroyed: helpers may
    // outlive every static object.
    static Threads &all() {
        static bool once = pthread_atfork(nullptr, nullptr, [] { instance() = nullptr; }) == 0;
        static std::mutex making;
        std::lock_guard<std::mutex> lock(making);
        if (!instance() || !once) instance() = new Threads;
        return *instance();
    }

    // The threads for one call, at most `wanted`, one fewer for each other call that is under way: several searches side by
    // side have a thread each. One alone where another call has the helpers.
    class Team {
      public:
        Team(Threads &threads, int wanted) : threads(threads) {
            wanted -= threads.under_way.fetch_add(1);
            if (wanted > 1 && threads.taken.try_lock()) {
                size = wanted;
                threads.hire(wanted - 1);
            }
        }
        ~Team() {
            if (size > 1) threads.taken.unlock();
            threads.under_way.fetch_sub(1);
        }
        Team(const Team &) = delete;
        Team &operator=(const Team &) = delete;

        // work(first, last) for parts of 0 .. count, each at least `least` long.
        template <class Work> void share(int64_t count, int64_t least, const Work &work) {
            int64_t each = count / (PARTS * size);
            if (each < least) each = least;
            int64_t parts = (count + each - 1) / each;
            auto part = [&](int64_t number) {
                work(number * each, (number + 1) * each < count ? (number + 1) * each : count);
            };
            if (size == 1 || parts < 2) {
                for (int64_t number = 0; number < parts; ++number) part(number);
                return;
            }
            using Part = decltype(part);
            threads.run(parts, [](const void *own, int64_t number) { (*static_cast<const Part *>(own))(number); }, &part);
        }

        int size = 1;

      private:
        // More parts than threads, so that who is slow takes fewer.
        static constexpr int PARTS = 4;
        Threads &threads;
    };

  private:
    using Call = void (*)(const void *, int64_t);

    static Threads *&instance() {
        static Threads *made = nullptr;
        return made;
    }

    // A machine may have no more threads to give, or no memory for them: whoever is there takes all parts.
    void hire(int helpers) {
        allowed = helpers;
        try {
            for (; hired < helpers; ++hired) std::thread(&Threads::help, this, hired).detach();
        } catch (const std::exception &) {
        }
    }

    // What is to be done lies in `call` and `own`; how many parts of it are left, in the lower half of `open`, whose
    // upper half counts the tasks. Who takes a part has seen both halves, and the task cannot end without that part: so
    // nobody ever works on a part of a task that is over. What a part throws, on whatever thread, is thrown here in the end.
    void run(int64_t parts, Call what, const void *with) {
        call = what, own = with;
        finished.store(0, std::memory_order_relaxed);
        uint64_t task = (open.load(std::memory_order_relaxed) >> 32) + 1;
        open.store(task << 32 | static_cast<uint64_t>(parts));
        if (asleep.load() > 0) {
            { std::lock_guard<std::mutex> lock(bed); }
            morning.notify_all();
        }
        while (take()) {}
        for (int spins = 0; finished.load(std::memory_order_acquire) != parts; ++spins) pause(spins);
        if (failed.exchange(false)) std::rethrow_exception(std::exchange(failure, nullptr));
    }

    bool take() {
        uint64_t seen = open.load(std::memory_order_relaxed);
        while (static_cast<uint32_t>(seen)) {
            if (open.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire, std::memory_order_relaxed)) {
                try {
                    call(own, static_cast<int64_t>(static_cast<uint32_t>(seen)) - 1);
                } catch (...) {
                    if (!failed.exchange(true)) failure = std::current_exception();
                }
                finished.fetch_add(1, std::memory_order_release);
                return true;
            }
        }
        return false;
    }

    void help(int number) {
        for (int spins = 0;; ++spins) {
            if (number < allowed.load(std::memory_order_relaxed) && take()) {
                spins = 0;
            } else if (spins < PATIENCE) {
                pause(spins);
            } else {
                std::unique_lock<std::mutex> lock(bed);
                asleep.fetch_add(1);
                morning.wait(lock, [&] { return number < allowed.load() && static_cast<uint32_t>(open.load()); });
                asleep.fetch_sub(1);
                spins = 0;
            }
        }
    }

    static void pause(int spins) {
        if (spins % 64 == 63) sched_yield();
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb");
#endif
    }

    // About a tenth of a millisecond: longer than the pauses within a step, shorter than those between two.
    static constexpr int PATIENCE = 3000;

    std::mutex taken, bed;
    std::condition_variable morning;
    std::atomic<uint64_t> open{0};
    std::atomic<int64_t> finished{0};
    std::atomic<int> asleep{0}, allowed{0}, under_way{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure; // the first of a task, where it has failed
    int hired = 0;
    Call call = nullptr;
    const void *own = nullptr;
};
