// What barriers.py of `text` writes into statements and functions with barriers, in checked code.
#pragma once
#include "abi.h"

namespace accel_sim {

// As long as it lives, the thread is in a statement. A thread that ends there has not passed its barriers.
class Inside {
  public:
    ACCEL_SIM_INLINE explicit Inside(unsigned number) : depth_(accel_sim_enter(number)) {}
    ACCEL_SIM_INLINE ~Inside() { accel_sim_leave(depth_); }
    ACCEL_SIM_INLINE void passed() { accel_sim_passed(depth_); }
    Inside(const Inside&) = delete;

  private:
    const unsigned depth_;
};

// The same for the body of a function that is no kernel: however it is left, its caller goes on.
class Function : public Inside {
  public:
    using Inside::Inside;
    ACCEL_SIM_INLINE ~Function() { passed(); }
};

}  // namespace accel_sim
