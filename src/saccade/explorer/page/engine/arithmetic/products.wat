;; Products with the weights of a model, four numbers at a time (WebAssembly SIMD).
;;
;; Weights lie row by row, a row for each output, as bytes or as float32; numbers lie row by row as float32. The length
;; of a row is a multiple of 16, filled up with zeros where need be. Scales and biases are left to the caller.
;; products.wasm is this file, assembled; a test compares the two.
(module
  (memory (import "engine" "memory") 1)

  ;; The sum of four numbers.
  (func $sum (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; The inner product of bytes at $w with float32 numbers at $x, $n of each; $n is a multiple of 16.
  (func $dot_i8 (param $x i32) (param $w i32) (param $n i32) (result f32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $bytes v128) (local $half v128)
    (loop $next
      (local.set $bytes (v128.load (local.get $w)))
      (local.set $half (i16x8.extend_low_i8x16_s (local.get $bytes)))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul
        (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half)))
        (v128.load offset=0 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul
        (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half)))
        (v128.load offset=16 (local.get $x)))))
      (local.set $half (i16x8.extend_high_i8x16_s (local.get $bytes)))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul
        (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half)))
        (v128.load offset=32 (local.get $x)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul
        (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half)))
        (v128.load offset=48 (local.get $x)))))
      (local.set $x (i32.add (local.get $x) (i32.const 64)))
      (local.set $w (i32.add (local.get $w) (i32.const 16)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 16)))))
    (call $sum (f32x4.add
      (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d)))))

  ;; The same with four rows of numbers, $stride bytes apart: each weight is read and made a float32 once for all.
  ;; The four sums are written at $y, $step bytes apart.
  (func $four_dots_i8 (param $x i32) (param $stride i32) (param $w i32) (param $n i32)
      (param $y i32) (param $step i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $f v128) (local $bytes v128) (local $half v128)
    (local $x1 i32) (local $x2 i32) (local $x3 i32)
    (local.set $x1 (i32.add (local.get $x) (local.get $stride)))
    (local.set $x2 (i32.add (local.get $x1) (local.get $stride)))
    (local.set $x3 (i32.add (local.get $x2) (local.get $stride)))
    (loop $next
      (local.set $bytes (v128.load (local.get $w)))
      (local.set $half (i16x8.extend_low_i8x16_s (local.get $bytes)))
      (local.set $f (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $f) (v128.load offset=0 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $f) (v128.load offset=0 (local.get $x1)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $f) (v128.load offset=0 (local.get $x2)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $f) (v128.load offset=0 (local.get $x3)))))
      (local.set $f (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $f) (v128.load offset=16 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $f) (v128.load offset=16 (local.get $x1)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $f) (v128.load offset=16 (local.get $x2)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $f) (v128.load offset=16 (local.get $x3)))))
      (local.set $half (i16x8.extend_high_i8x16_s (local.get $bytes)))
      (local.set $f (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $f) (v128.load offset=32 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $f) (v128.load offset=32 (local.get $x1)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $f) (v128.load offset=32 (local.get $x2)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $f) (v128.load offset=32 (local.get $x3)))))
      (local.set $f (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $f) (v128.load offset=48 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $f) (v128.load offset=48 (local.get $x1)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $f) (v128.load offset=48 (local.get $x2)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $f) (v128.load offset=48 (local.get $x3)))))
      (local.set $x (i32.add (local.get $x) (i32.const 64)))
      (local.set $x1 (i32.add (local.get $x1) (i32.const 64)))
      (local.set $x2 (i32.add (local.get $x2) (i32.const 64)))
      (local.set $x3 (i32.add (local.get $x3) (i32.const 64)))
      (local.set $w (i32.add (local.get $w) (i32.const 16)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 16)))))
    (f32.store (local.get $y) (call $sum (local.get $a)))
    (f32.store (local.tee $y (i32.add (local.get $y) (local.get $step))) (call $sum (local.get $b)))
    (f32.store (local.tee $y (i32.add (local.get $y) (local.get $step))) (call $sum (local.get $c)))
    (f32.store (i32.add (local.get $y) (local.get $step)) (call $sum (local.get $d))))

  ;; y = x W^T: the product of each of $outputs rows of weights with each of $rows rows of numbers, four rows at a time.
  (func (export "linear_i8") (param $x i32) (param $rows i32) (param $columns i32) (param $w i32) (param $outputs i32)
      (param $y i32)
    (local $output i32) (local $row i32) (local $at i32) (local $into i32) (local $stride i32) (local $step i32)
    (local.set $stride (i32.shl (local.get $columns) (i32.const 2)))
    (local.set $step (i32.shl (local.get $outputs) (i32.const 2)))
    (loop $each_output
      (local.set $row (i32.const 0))
      (local.set $at (local.get $x))
      (local.set $into (i32.add (local.get $y) (i32.shl (local.get $output) (i32.const 2))))
      (block $done
        (loop $each_row
          (br_if $done (i32.ge_s (local.get $row) (local.get $rows)))
          (if (i32.ge_s (i32.sub (local.get $rows) (local.get $row)) (i32.const 4))
            (then
              (call $four_dots_i8 (local.get $at) (local.get $stride) (local.get $w) (local.get $columns)
                (local.get $into) (local.get $step))
              (local.set $row (i32.add (local.get $row) (i32.const 4)))
              (local.set $at (i32.add (local.get $at) (i32.shl (local.get $stride) (i32.const 2))))
              (local.set $into (i32.add (local.get $into) (i32.shl (local.get $step) (i32.const 2)))))
            (else
              (f32.store (local.get $into)
                (call $dot_i8 (local.get $at) (local.get $w) (local.get $columns)))
              (local.set $row (i32.add (local.get $row) (i32.const 1)))
              (local.set $at (i32.add (local.get $at) (local.get $stride)))
              (local.set $into (i32.add (local.get $into) (local.get $step)))))
          (br $each_row)))
      (local.set $w (i32.add (local.get $w) (local.get $columns)))
      (br_if $each_output
        (i32.lt_s (local.tee $output (i32.add (local.get $output) (i32.const 1))) (local.get $outputs)))))

  ;; The inner product of float32 weights at $w with float32 numbers at $x, $n of each; $n is a multiple of 16.
  (func $dot_f32 (param $x i32) (param $w i32) (param $n i32) (result f32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $next
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul
        (v128.load offset=0 (local.get $w)) (v128.load offset=0 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul
        (v128.load offset=16 (local.get $w)) (v128.load offset=16 (local.get $x)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul
        (v128.load offset=32 (local.get $w)) (v128.load offset=32 (local.get $x)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul
        (v128.load offset=48 (local.get $w)) (v128.load offset=48 (local.get $x)))))
      (local.set $x (i32.add (local.get $x) (i32.const 64)))
      (local.set $w (i32.add (local.get $w) (i32.const 64)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 16)))))
    (call $sum (f32x4.add
      (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d)))))

  ;; The same with four rows of numbers, $stride bytes apart: each weight is read and made a float32 once for all.
  ;; The four sums are written at $y, $step bytes apart.
  (func $four_dots_f32 (param $x i32) (param $stride i32) (param $w i32) (param $n i32)
      (param $y i32) (param $step i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $f v128)
    (local $x1 i32) (local $x2 i32) (local $x3 i32)
    (local.set $x1 (i32.add (local.get $x) (local.get $stride)))
    (local.set $x2 (i32.add (local.get $x1) (local.get $stride)))
    (local.set $x3 (i32.add (local.get $x2) (local.get $stride)))
    (loop $next
      (local.set $f (v128.load offset=0 (local.get $w)))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $f) (v128.load offset=0 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $f) (v128.load offset=0 (local.get $x1)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $f) (v128.load offset=0 (local.get $x2)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $f) (v128.load offset=0 (local.get $x3)))))
      (local.set $f (v128.load offset=16 (local.get $w)))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $f) (v128.load offset=16 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $f) (v128.load offset=16 (local.get $x1)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $f) (v128.load offset=16 (local.get $x2)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $f) (v128.load offset=16 (local.get $x3)))))
      (local.set $f (v128.load offset=32 (local.get $w)))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $f) (v128.load offset=32 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $f) (v128.load offset=32 (local.get $x1)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $f) (v128.load offset=32 (local.get $x2)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $f) (v128.load offset=32 (local.get $x3)))))
      (local.set $f (v128.load offset=48 (local.get $w)))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $f) (v128.load offset=48 (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $f) (v128.load offset=48 (local.get $x1)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $f) (v128.load offset=48 (local.get $x2)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $f) (v128.load offset=48 (local.get $x3)))))
      (local.set $x (i32.add (local.get $x) (i32.const 64)))
      (local.set $x1 (i32.add (local.get $x1) (i32.const 64)))
      (local.set $x2 (i32.add (local.get $x2) (i32.const 64)))
      (local.set $x3 (i32.add (local.get $x3) (i32.const 64)))
      (local.set $w (i32.add (local.get $w) (i32.const 64)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 16)))))
    (f32.store (local.get $y) (call $sum (local.get $a)))
    (f32.store (local.tee $y (i32.add (local.get $y) (local.get $step))) (call $sum (local.get $b)))
    (f32.store (local.tee $y (i32.add (local.get $y) (local.get $step))) (call $sum (local.get $c)))
    (f32.store (i32.add (local.get $y) (local.get $step)) (call $sum (local.get $d))))

  ;; y = x W^T: the product of each of $outputs rows of weights with each of $rows rows of numbers, four rows at a time.
  (func (export "linear_f32") (param $x i32) (param $rows i32) (param $columns i32) (param $w i32) (param $outputs i32)
      (param $y i32)
    (local $output i32) (local $row i32) (local $at i32) (local $into i32) (local $stride i32) (local $step i32)
    (local.set $stride (i32.shl (local.get $columns) (i32.const 2)))
    (local.set $step (i32.shl (local.get $outputs) (i32.const 2)))
    (loop $each_output
      (local.set $row (i32.const 0))
      (local.set $at (local.get $x))
      (local.set $into (i32.add (local.get $y) (i32.shl (local.get $output) (i32.const 2))))
      (block $done
        (loop $each_row
          (br_if $done (i32.ge_s (local.get $row) (local.get $rows)))
          (if (i32.ge_s (i32.sub (local.get $rows) (local.get $row)) (i32.const 4))
            (then
              (call $four_dots_f32 (local.get $at) (local.get $stride) (local.get $w) (local.get $columns)
                (local.get $into) (local.get $step))
              (local.set $row (i32.add (local.get $row) (i32.const 4)))
              (local.set $at (i32.add (local.get $at) (i32.shl (local.get $stride) (i32.const 2))))
              (local.set $into (i32.add (local.get $into) (i32.shl (local.get $step) (i32.const 2)))))
            (else
              (f32.store (local.get $into)
                (call $dot_f32 (local.get $at) (local.get $w) (local.get $columns)))
              (local.set $row (i32.add (local.get $row) (i32.const 1)))
              (local.set $at (i32.add (local.get $at) (local.get $stride)))
              (local.set $into (i32.add (local.get $into) (local.get $step)))))
          (br $each_row)))
      (local.set $w (i32.add (local.get $w) (local.get $stride)))
      (br_if $each_output
        (i32.lt_s (local.tee $output (i32.add (local.get $output) (i32.const 1))) (local.get $outputs))))))
