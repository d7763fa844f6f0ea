/* device_real.h - keel/real.h for CUDA C++: a number type of one lane, since every thread has a run of its
 * own.
 *
 * Text of compiled models alone; the operators round as those of double do (nvcc --fmad=false). */
#ifndef KEEL_CORE_DEVICE_REAL_H
#define KEEL_CORE_DEVICE_REAL_H

#define KEEL_DEVICE
#define KEEL_LANES 1

struct keel_truth {
    bool value;
    keel_truth() = default;
    DEVICE keel_truth(int truth) : value(truth != 0) {}
    DEVICE bool &operator[](int) {
        return value;
    }
    DEVICE bool operator[](int) const {
        return value;
    }
};
static DEVICE keel_truth operator&(keel_truth a, keel_truth b) {
    return a.value & b.value;
}
static DEVICE keel_truth operator|(keel_truth a, keel_truth b) {
    return a.value | b.value;
}
static DEVICE keel_truth operator~(keel_truth a) {
    return !a.value;
}
static DEVICE void operator&=(keel_truth &a, keel_truth b) {
    a = a & b;
}
static DEVICE void operator|=(keel_truth &a, keel_truth b) {
    a = a | b;
}

struct keel_real {
    double value;
    keel_real() = default;
    DEVICE keel_real(double number) : value(number) {}
    DEVICE double &operator[](int) {
        return value;
    }
    DEVICE double operator[](int) const {
        return value;
    }
};
static DEVICE keel_real operator+(keel_real a, keel_real b) {
    return a.value + b.value;
}
static DEVICE keel_real operator-(keel_real a, keel_real b) {
    return a.value - b.value;
}
static DEVICE keel_real operator*(keel_real a, keel_real b) {
    return a.value * b.value;
}
static DEVICE keel_real operator/(keel_real a, keel_real b) {
    return a.value / b.value;
}
static DEVICE keel_real operator-(keel_real a) {
    return -a.value;
}
static DEVICE void operator+=(keel_real &a, keel_real b) {
    a = a + b;
}
static DEVICE void operator-=(keel_real &a, keel_real b) {
    a = a - b;
}
static DEVICE void operator*=(keel_real &a, keel_real b) {
    a = a * b;
}
static DEVICE keel_truth operator<(keel_real a, keel_real b) {
    return a.value < b.value;
}
static DEVICE keel_truth operator>(keel_real a, keel_real b) {
    return a.value > b.value;
}
static DEVICE keel_truth operator<=(keel_real a, keel_real b) {
    return a.value <= b.value;
}
static DEVICE keel_truth operator>=(keel_real a, keel_real b) {
    return a.value >= b.value;
}
static DEVICE keel_truth operator==(keel_real a, keel_real b) {
    return a.value == b.value;
}
static DEVICE keel_truth operator!=(keel_real a, keel_real b) {
    return a.value != b.value;
}

#define keel_lift(number) keel_real(number)
#define keel_always keel_truth(1)
#define keel_and(a, b) ((a) & (b))
static DEVICE bool keel_any(keel_truth a) {
    return a.value;
}
static DEVICE bool keel_all(keel_truth a) {
    return a.value;
}
static DEVICE keel_real keel_select(keel_truth truth, keel_real a, keel_real b) {
    return truth.value ? a.value : b.value;
}
static DEVICE keel_real keel_abs(keel_real a) {
    return fabs(a.value);
}
static DEVICE keel_real keel_sqrt(keel_real a) {
    return sqrt(a.value);
}

typedef unsigned long long keel_bits;
union keel_real_bits {
    double number;
    keel_bits bits;
};
static DEVICE keel_bits keel_to_bits(keel_real a) {
    union keel_real_bits pun;
    pun.number = a.value;
    return pun.bits;
}
static DEVICE keel_real keel_from_bits(keel_bits bits) {
    union keel_real_bits pun;
    pun.bits = bits;
    return pun.number;
}
#endif
