;; Products of weights in one byte with numbers written in three digits (WebAssembly relaxed SIMD).
;;
;; A number x is taken as a whole number of steps, x = s (n - 2^20), where 0 <= n < 2^21. The largest number of a row
;; has 2^20 - 1 steps, so that each is rounded by less than a millionth of the largest. n has three digits of seven bits:
;;
;;   n = d_0 + 2^7 d_1 + 2^14 d_2
;;   sum_j w_j x_j = s (sum_k 2^(7 k) sum_j w_j d_kj - 2^20 sum_j w_j)
;;
;; One instruction multiplies sixteen weights by sixteen digits, so that three digits cost much less than weights that
;; must become float32 first. All sums are of whole numbers, hence exact. A digit leaves the eighth bit of its byte
;; free: only so is the result of that instruction the same on every processor.
;;
;; The digits of sixteen neighbouring numbers lie together, d_0 of all sixteen first. Rows are a multiple of 16 long,
;; filled up with zeros, and at most 4096, or sums would not fit 32 bits. Matrices of weights are filled up to a
;; multiple of 4 rows. Biases are left to the caller. digits.wasm is this file, assembled; a test compares the two.
(module
  (memory (import "engine" "memory") 1)

  ;; The largest of four numbers.
  (func $largest (param $v v128) (result f32)
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.max (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; The largest magnitude of $n numbers at $x.
  (func $magnitude (param $x i32) (param $n i32) (result f32)
    (local $most v128)
    (loop $next
      (local.set $most (f32x4.max (local.get $most) (f32x4.abs (v128.load (local.get $x)))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 4)))))
    (call $largest (local.get $most)))

  ;; Four numbers at $x in steps, moved up by 2^20 so that none is negative.
  (func $steps (param $x i32) (param $per_unit v128) (result v128)
    (i32x4.add
      (v128.const i32x4 0x100000 0x100000 0x100000 0x100000)
      (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (v128.load (local.get $x)) (local.get $per_unit))))))

  ;; The seven bits from $place on of four whole numbers.
  (func $bits (param $n v128) (param $place i32) (result v128)
    (v128.and (i32x4.shr_u (local.get $n) (local.get $place)) (v128.const i32x4 127 127 127 127)))

  ;; The same of sixteen numbers, in one byte each.
  (func $digit (param $n0 v128) (param $n1 v128) (param $n2 v128) (param $n3 v128) (param $place i32) (result v128)
    (i8x16.narrow_i16x8_u
      (i16x8.narrow_i32x4_u
        (call $bits (local.get $n0) (local.get $place)) (call $bits (local.get $n1) (local.get $place)))
      (i16x8.narrow_i32x4_u
        (call $bits (local.get $n2) (local.get $place)) (call $bits (local.get $n3) (local.get $place)))))

  ;; Writes the digits of $rows rows of numbers at $into, and the step of each row at $step.
  (func (export "digits") (param $x i32) (param $rows i32) (param $columns i32) (param $into i32) (param $step i32)
    (local $most f32) (local $left i32) (local $per_unit v128)
    (local $n0 v128) (local $n1 v128) (local $n2 v128) (local $n3 v128)
    (loop $each_row
      ;; A row of zeros may have any step but none.
      (local.set $most (f32.max (call $magnitude (local.get $x) (local.get $columns)) (f32.const 1e-20)))
      (f32.store (local.get $step) (f32.div (local.get $most) (f32.const 1048575)))
      (local.set $per_unit (f32x4.splat (f32.div (f32.const 1048575) (local.get $most))))
      (local.set $left (local.get $columns))
      (loop $next
        (local.set $n0 (call $steps (local.get $x) (local.get $per_unit)))
        (local.set $n1 (call $steps (i32.add (local.get $x) (i32.const 16)) (local.get $per_unit)))
        (local.set $n2 (call $steps (i32.add (local.get $x) (i32.const 32)) (local.get $per_unit)))
        (local.set $n3 (call $steps (i32.add (local.get $x) (i32.const 48)) (local.get $per_unit)))
        (v128.store offset=0 (local.get $into)
          (call $digit (local.get $n0) (local.get $n1) (local.get $n2) (local.get $n3) (i32.const 0)))
        (v128.store offset=16 (local.get $into)
          (call $digit (local.get $n0) (local.get $n1) (local.get $n2) (local.get $n3) (i32.const 7)))
        (v128.store offset=32 (local.get $into)
          (call $digit (local.get $n0) (local.get $n1) (local.get $n2) (local.get $n3) (i32.const 14)))
        (local.set $x (i32.add (local.get $x) (i32.const 64)))
        (local.set $into (i32.add (local.get $into) (i32.const 48)))
        (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 16)))))
      (local.set $step (i32.add (local.get $step) (i32.const 4)))
      (br_if $each_row (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; The sums of four vectors of four whole numbers, in their order: neighbours are added, then neighbours again.
  (func $four_sums (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local $ab v128) (local $cd v128)
    (local.set $ab (i32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $b))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $cd (i32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $c) (local.get $d))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $c) (local.get $d))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $ab) (local.get $cd))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $ab) (local.get $cd))))

  ;; Writes the sum of each of $rows rows of weights at $w at $into.
  (func (export "sums") (param $w i32) (param $rows i32) (param $columns i32) (param $into i32)
    (local $left i32) (local $sum v128)
    (loop $each_row
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $left (local.get $columns))
      (loop $next
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.extadd_pairwise_i16x8_s (i16x8.extadd_pairwise_i8x16_s (v128.load (local.get $w))))))
        (local.set $w (i32.add (local.get $w) (i32.const 16)))
        (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 16)))))
      (i32.store (local.get $into) (i32.add
        (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
        (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
      (local.set $into (i32.add (local.get $into) (i32.const 4)))
      (br_if $each_row (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; The products of four rows of $n weights at $w with the digits at $x, written at $y as numbers: each digit is read
  ;; once for all four. $s12 is the sum of row 1 for digit 2; at $weights are the sums of the weights of each row.
  (func $four_dots (param $x i32) (param $step f32) (param $w i32) (param $n i32) (param $weights i32) (param $scales i32)
      (param $y i32)
    (local $s00 v128) (local $s01 v128) (local $s02 v128)
    (local $s10 v128) (local $s11 v128) (local $s12 v128)
    (local $s20 v128) (local $s21 v128) (local $s22 v128)
    (local $s30 v128) (local $s31 v128) (local $s32 v128)
    (local $w0 v128) (local $w1 v128) (local $w2 v128) (local $w3 v128) (local $d v128)
    (local $from1 i32) (local $from2 i32) (local $from3 i32)
    (local.set $from1 (i32.add (local.get $w) (local.get $n)))
    (local.set $from2 (i32.add (local.get $from1) (local.get $n)))
    (local.set $from3 (i32.add (local.get $from2) (local.get $n)))
    (loop $next
      (local.set $w0 (v128.load (local.get $w)))
      (local.set $w1 (v128.load (local.get $from1)))
      (local.set $w2 (v128.load (local.get $from2)))
      (local.set $w3 (v128.load (local.get $from3)))
      (local.set $d (v128.load offset=0 (local.get $x)))
      (local.set $s00 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w0) (local.get $d) (local.get $s00)))
      (local.set $s10 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w1) (local.get $d) (local.get $s10)))
      (local.set $s20 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w2) (local.get $d) (local.get $s20)))
      (local.set $s30 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w3) (local.get $d) (local.get $s30)))
      (local.set $d (v128.load offset=16 (local.get $x)))
      (local.set $s01 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w0) (local.get $d) (local.get $s01)))
      (local.set $s11 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w1) (local.get $d) (local.get $s11)))
      (local.set $s21 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w2) (local.get $d) (local.get $s21)))
      (local.set $s31 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w3) (local.get $d) (local.get $s31)))
      (local.set $d (v128.load offset=32 (local.get $x)))
      (local.set $s02 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w0) (local.get $d) (local.get $s02)))
      (local.set $s12 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w1) (local.get $d) (local.get $s12)))
      (local.set $s22 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w2) (local.get $d) (local.get $s22)))
      (local.set $s32 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $w3) (local.get $d) (local.get $s32)))
      (local.set $x (i32.add (local.get $x) (i32.const 48)))
      (local.set $w (i32.add (local.get $w) (i32.const 16)))
      (local.set $from1 (i32.add (local.get $from1) (i32.const 16)))
      (local.set $from2 (i32.add (local.get $from2) (i32.const 16)))
      (local.set $from3 (i32.add (local.get $from3) (i32.const 16)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 16)))))
    ;; The sum of the weights is taken from the largest digit, 2^20 = 2^14 2^6, while the numbers are still whole.
    (local.set $s02 (i32x4.sub
      (call $four_sums (local.get $s02) (local.get $s12) (local.get $s22) (local.get $s32))
      (i32x4.shl (v128.load (local.get $weights)) (i32.const 6))))
    (local.set $s01 (call $four_sums (local.get $s01) (local.get $s11) (local.get $s21) (local.get $s31)))
    (local.set $s00 (call $four_sums (local.get $s00) (local.get $s10) (local.get $s20) (local.get $s30)))
    (v128.store (local.get $y) (f32x4.mul
      (f32x4.mul (f32x4.splat (local.get $step)) (v128.load (local.get $scales)))
      (f32x4.add
        (f32x4.convert_i32x4_s (local.get $s00))
        (f32x4.add
          (f32x4.mul (f32x4.convert_i32x4_s (local.get $s01)) (v128.const f32x4 0x1p7 0x1p7 0x1p7 0x1p7))
          (f32x4.mul (f32x4.convert_i32x4_s (local.get $s02)) (v128.const f32x4 0x1p14 0x1p14 0x1p14 0x1p14)))))))

  ;; y = x W^T: the product of each of $outputs rows of weights, a multiple of 4, with each of $rows rows of digits.
  ;; Steps are those of the rows of digits; sums and scales those of the rows of weights.
  (func (export "linear") (param $x i32) (param $steps i32) (param $rows i32) (param $columns i32)
      (param $w i32) (param $sums i32) (param $scales i32) (param $outputs i32) (param $y i32)
    (local $output i32) (local $row i32)
    (loop $each_four
      (local.set $row (i32.const 0))
      (loop $each_row
        (call $four_dots
          (i32.add (local.get $x) (i32.mul (i32.mul (local.get $row) (local.get $columns)) (i32.const 3)))
          (f32.load (i32.add (local.get $steps) (i32.shl (local.get $row) (i32.const 2))))
          (local.get $w) (local.get $columns) (local.get $sums) (local.get $scales)
          (i32.add (local.get $y) (i32.shl
            (i32.add (local.get $output) (i32.mul (local.get $row) (local.get $outputs))) (i32.const 2))))
        (br_if $each_row
          (i32.lt_s (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $rows))))
      (local.set $w (i32.add (local.get $w) (i32.shl (local.get $columns) (i32.const 2))))
      (local.set $sums (i32.add (local.get $sums) (i32.const 16)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 16)))
      (br_if $each_four
        (i32.lt_s (local.tee $output (i32.add (local.get $output) (i32.const 4))) (local.get $outputs))))))
