// vectors.rs -- Rust's own allocator: Vec, Box and zeroed memory, `vectors ROUNDS`.
//
// A round is one malloc of 3000 bytes that grows to 6000 and 12000 bytes, one zeroed block
// of 5000 and one of 4096 bytes aligned to 4096, all freed.
//
// SPDX-License-Identifier: LGPL-2.1-or-later

#[repr(align(4096))]
struct Page([u8; 4096]);

fn main() {
    let rounds: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut sum = 0usize;
    for round in 0..rounds {
        let mut grows: Vec<u8> = Vec::with_capacity(3000);
        grows.resize(3000, round as u8);
        grows.reserve_exact(3000);
        grows.resize(6000, 1);
        grows.reserve_exact(6000);
        let zeroed = vec![0u8; std::hint::black_box(5000)];
        let page = Box::new(Page([7; 4096]));
        sum += std::hint::black_box(&grows).len();
        sum += std::hint::black_box(&zeroed).len();
        sum += std::hint::black_box(&page).0.len();
    }
    std::process::exit((sum == rounds * 15096) as i32 - 1);
}
