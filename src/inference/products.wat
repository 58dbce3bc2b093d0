;; Inner products of a vector with the rows of a matrix, all float32. Positions are bytes of the memory that threads share.
;; Eight columns at a time in two sums of four, because a sum waits for the one before it; the columns that are left in one.
(module
  (import "shared" "memory" (memory 1 65536 shared))
  (func (export "products")
    (param $vector i32) (param $row i32) (param $bytes_of_row i32) (param $out i32) (param $end i32)
    (local $at i32) (local $rest f32) (local $sum v128) (local $other_sum v128)
    (loop $next_row
      (local.set $at (i32.const 0))
      (local.set $rest (f32.const 0))
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $other_sum (v128.const i32x4 0 0 0 0))
      (if (i32.ge_u (local.get $bytes_of_row) (i32.const 32))
        (then
          (loop $next_eight
            (local.set $sum
              (f32x4.add (local.get $sum)
                (f32x4.mul
                  (v128.load (i32.add (local.get $vector) (local.get $at)))
                  (v128.load (i32.add (local.get $row) (local.get $at))))))
            (local.set $other_sum
              (f32x4.add (local.get $other_sum)
                (f32x4.mul
                  (v128.load offset=16 (i32.add (local.get $vector) (local.get $at)))
                  (v128.load offset=16 (i32.add (local.get $row) (local.get $at))))))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (br_if $next_eight
              (i32.le_u (i32.add (local.get $at) (i32.const 32)) (local.get $bytes_of_row))))))
      (if (i32.lt_u (local.get $at) (local.get $bytes_of_row))
        (then
          (loop $next_one
            (local.set $rest
              (f32.add (local.get $rest)
                (f32.mul
                  (f32.load (i32.add (local.get $vector) (local.get $at)))
                  (f32.load (i32.add (local.get $row) (local.get $at))))))
            (local.set $at (i32.add (local.get $at) (i32.const 4)))
            (br_if $next_one (i32.lt_u (local.get $at) (local.get $bytes_of_row))))))
      (local.set $sum (f32x4.add (local.get $sum) (local.get $other_sum)))
      (f32.store (local.get $out)
        (f32.add (local.get $rest)
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
            (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum))))))
      (local.set $row (i32.add (local.get $row) (local.get $bytes_of_row)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $next_row (i32.lt_u (local.get $out) (local.get $end))))))
