// What is allocated on the devices, and what is pinned on the host.
#pragma once

#include <cstddef>

namespace fake {

enum class Place { device, pinned, pageable, beyond };  // beyond: it begins in an allocation and does not end in it

struct Found {
    Place place;
    int device;  // that has it, or for which it was pinned
};

Found find_memory(const void* address, size_t size);

}  // namespace fake
