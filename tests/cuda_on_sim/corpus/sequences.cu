// Strings and sequences.
#include "lanes.cuh"

// Needleman and Wunsch: a block walks over the diagonals; the elements of one do not depend on each other.
extern "C" __global__ void align_globally(const unsigned char* a, const unsigned char* b, int* scores, int n) {
    for (int i = threadIdx.x; i <= n; i += blockDim.x) scores[i] = scores[i * (n + 1)] = -i;
    __syncthreads();
    for (int diagonal = 2; diagonal <= 2 * n; ++diagonal) {
        const int row = max(1, diagonal - n) + threadIdx.x, column = diagonal - row;
        if (row <= n && column >= 1) {
            const int same = a[row - 1] == b[column - 1] ? 2 : -1;
            const int above = scores[(row - 1) * (n + 1) + column] - 1, left = scores[row * (n + 1) + column - 1] - 1;
            scores[row * (n + 1) + column] = max(scores[(row - 1) * (n + 1) + column - 1] + same, max(above, left));
        }
        __syncthreads();
    }
}

// Smith and Waterman, with three diagonals in shared memory, and the best score of all.
extern "C" __global__ void align_locally(const unsigned char* a, const unsigned char* b, int na, int nb, int* best) {
    __shared__ int diagonals[3][65];
    const int i = threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        diagonals[k][i + 1] = 0;
        if (i == 0) diagonals[k][0] = 0;
    }
    int most = 0;
    for (int d = 0; d < na + nb - 1; ++d) {
        __syncthreads();
        int* now = diagonals[d % 3];
        const int *before = diagonals[(d + 2) % 3], *last = diagonals[(d + 1) % 3];
        const int j = d - i;
        if (i < na && j >= 0 && j < nb) {
            const int same = a[i] == b[j] ? 3 : -2;
            const int diagonal = j > 0 ? last[i] : 0, left = j > 0 ? before[i + 1] : 0;
            const int score = max(max(0, diagonal + same), max(before[i], left) - 1);
            now[i + 1] = score;
            most = max(most, score);
        } else if (i < na) {
            now[i + 1] = 0;
        }
    }
    atomicMax(best, most);
}

// The distance of Levenshtein of many pairs: a thread has a row of its own.
extern "C" __global__ void edit_distances(const unsigned char* a, const unsigned char* b, int* distances, int pairs) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    int row[9];
    for (int j = 0; j <= 8; ++j) row[j] = j;
    for (int i = 1; i <= 8; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= 8; ++j) {
            const int above = row[j];
            const int change = diagonal + (a[p * 8 + i - 1] != b[p * 8 + j - 1]);
            row[j] = min(change, min(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    distances[p] = row[8];
}

extern "C" __global__ void find(const char* text, int n, const char* word, int length, int* places, int* count) {
    extern __shared__ char wanted[];
    for (int k = threadIdx.x; k < length; k += blockDim.x) wanted[k] = word[k];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n) return;
    for (int k = 0; k < length; ++k)
        if (text[i + k] != wanted[k]) return;
    places[atomicAdd(count, 1)] = i;
}

// Those that fulfil a condition, in order: a scan gives their places.
extern "C" __global__ void compact(const int* in, int* out, int* kept, int n) {
    __shared__ int places[128];
    const int t = threadIdx.x;
    const bool keep = t < n && in[t] % 3 == 0;
    places[t] = keep;
    __syncthreads();
    for (int by = 1; by < 128; by *= 2) {
        const int other = t >= by ? places[t - by] : 0;
        __syncthreads();
        places[t] += other;
        __syncthreads();
    }
    if (keep) out[places[t] - 1] = in[t];
    if (t == 127) *kept = places[t];
}

// Runs of equal elements: heads are found, counted by a scan, and their lengths come from the next head.
extern "C" __global__ void run_lengths(const int* in, int* values, int* lengths, int* runs, int n) {
    __shared__ int number[128], heads[129];
    const int t = threadIdx.x;
    const bool head = t < n && (t == 0 || in[t] != in[t - 1]);
    number[t] = head;
    __syncthreads();
    for (int by = 1; by < 128; by *= 2) {
        const int other = t >= by ? number[t - by] : 0;
        __syncthreads();
        number[t] += other;
        __syncthreads();
    }
    const int count = number[127];
    if (head) heads[number[t] - 1] = t;
    if (t == 0) heads[count] = n;
    __syncthreads();
    if (t < count) {
        values[t] = in[heads[t]];
        lengths[t] = heads[t + 1] - heads[t];
    }
    if (t == 0) *runs = count;
}

// Where each sorted key would be: bisection, with the array in shared memory.
extern "C" __global__ void lower_bounds(const int* sorted, int n, const int* keys, int* places, int count) {
    __shared__ int part[128];
    for (int i = threadIdx.x; i < n; i += blockDim.x) part[i] = sorted[i];
    __syncthreads();
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (part[middle] < keys[k]) low = middle + 1;
        else high = middle;
    }
    places[k] = low;
}
