;; The loops over all texts of an index. Positions are bytes of the memory that threads share; an end is the first byte
;; behind a list. Numbers are added in the order, and rounded where, the JavaScript of the same name would.
(module
  (import "shared" "memory" (memory 1 65536 shared))

  ;; Sum of the lanes of both sums and of the rest.
  (func $total (param $rest f32) (param $sum v128) (param $other_sum v128) (result f32)
    (local.set $sum (f32x4.add (local.get $sum) (local.get $other_sum)))
    (f32.add (local.get $rest)
      (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
        (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum))))))

  ;; Inner product of the columns from $at on, where fewer than eight are left.
  (func $rest (param $vector i32) (param $row i32) (param $at i32) (param $bytes_of_row i32) (result f32)
    (local $sum f32)
    (if (i32.lt_u (local.get $at) (local.get $bytes_of_row))
      (then
        (loop $next
          (local.set $sum
            (f32.add (local.get $sum)
              (f32.mul
                (f32.load (i32.add (local.get $vector) (local.get $at)))
                (f32.load (i32.add (local.get $row) (local.get $at))))))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (br_if $next (i32.lt_u (local.get $at) (local.get $bytes_of_row))))))
    (local.get $sum))

  ;; Inner products of a vector with the rows of a matrix, all float32, one for each of the places from $out to $end.
  ;; Eight columns at a time in two sums of four, because a sum waits for the one before it; four rows at a time for the
  ;; same reason. The columns that are left are added in one sum.
  (func (export "products")
    (param $vector i32) (param $row i32) (param $bytes_of_row i32) (param $out i32) (param $end i32)
    (local $at i32) (local $last i32) (local $second i32) (local $third i32) (local $fourth i32) (local $v v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    (if (i32.ge_u (local.get $out) (local.get $end)) (then (return)))
    (local.set $last
      (i32.add (local.get $row)
        (i32.mul (i32.sub (i32.shr_u (i32.sub (local.get $end) (local.get $out)) (i32.const 2)) (i32.const 1))
          (local.get $bytes_of_row))))
    (loop $next_rows
      ;; Behind the last row it is read again, and its further products are not stored.
      (local.set $second (call $row_behind (local.get $row) (local.get $bytes_of_row) (local.get $last)))
      (local.set $third (call $row_behind (local.get $second) (local.get $bytes_of_row) (local.get $last)))
      (local.set $fourth (call $row_behind (local.get $third) (local.get $bytes_of_row) (local.get $last)))
      (local.set $at (i32.const 0))
      (local.set $a (v128.const i32x4 0 0 0 0))
      (local.set $b (v128.const i32x4 0 0 0 0))
      (local.set $c (v128.const i32x4 0 0 0 0))
      (local.set $d (v128.const i32x4 0 0 0 0))
      (local.set $e (v128.const i32x4 0 0 0 0))
      (local.set $f (v128.const i32x4 0 0 0 0))
      (local.set $g (v128.const i32x4 0 0 0 0))
      (local.set $h (v128.const i32x4 0 0 0 0))
      (if (i32.ge_u (local.get $bytes_of_row) (i32.const 32))
        (then
          (loop $next_eight
            (local.set $v (v128.load (i32.add (local.get $vector) (local.get $at))))
            (local.set $a (f32x4.add (local.get $a)
              (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $row) (local.get $at))))))
            (local.set $c (f32x4.add (local.get $c)
              (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $second) (local.get $at))))))
            (local.set $e (f32x4.add (local.get $e)
              (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $third) (local.get $at))))))
            (local.set $g (f32x4.add (local.get $g)
              (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $fourth) (local.get $at))))))
            (local.set $v (v128.load offset=16 (i32.add (local.get $vector) (local.get $at))))
            (local.set $b (f32x4.add (local.get $b)
              (f32x4.mul (local.get $v) (v128.load offset=16 (i32.add (local.get $row) (local.get $at))))))
            (local.set $d (f32x4.add (local.get $d)
              (f32x4.mul (local.get $v) (v128.load offset=16 (i32.add (local.get $second) (local.get $at))))))
            (local.set $f (f32x4.add (local.get $f)
              (f32x4.mul (local.get $v) (v128.load offset=16 (i32.add (local.get $third) (local.get $at))))))
            (local.set $h (f32x4.add (local.get $h)
              (f32x4.mul (local.get $v) (v128.load offset=16 (i32.add (local.get $fourth) (local.get $at))))))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (br_if $next_eight
              (i32.le_u (i32.add (local.get $at) (i32.const 32)) (local.get $bytes_of_row))))))
      (f32.store (local.get $out)
        (call $total
          (call $rest (local.get $vector) (local.get $row) (local.get $at) (local.get $bytes_of_row))
          (local.get $a) (local.get $b)))
      (if (i32.lt_u (i32.add (local.get $out) (i32.const 4)) (local.get $end))
        (then
          (f32.store offset=4 (local.get $out)
            (call $total
              (call $rest (local.get $vector) (local.get $second) (local.get $at) (local.get $bytes_of_row))
              (local.get $c) (local.get $d)))))
      (if (i32.lt_u (i32.add (local.get $out) (i32.const 8)) (local.get $end))
        (then
          (f32.store offset=8 (local.get $out)
            (call $total
              (call $rest (local.get $vector) (local.get $third) (local.get $at) (local.get $bytes_of_row))
              (local.get $e) (local.get $f)))))
      (if (i32.lt_u (i32.add (local.get $out) (i32.const 12)) (local.get $end))
        (then
          (f32.store offset=12 (local.get $out)
            (call $total
              (call $rest (local.get $vector) (local.get $fourth) (local.get $at) (local.get $bytes_of_row))
              (local.get $g) (local.get $h)))))
      (local.set $row (i32.add (local.get $fourth) (local.get $bytes_of_row)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (br_if $next_rows (i32.lt_u (local.get $out) (local.get $end)))))

  ;; The row behind a row, or the last one again.
  (func $row_behind (param $row i32) (param $bytes_of_row i32) (param $last i32) (result i32)
    (select
      (i32.add (local.get $row) (local.get $bytes_of_row))
      (local.get $last)
      (i32.lt_u (local.get $row) (local.get $last))))

  ;; Weighted sum of two similarities of each text, added as float64.
  (func (export "mix")
    (param $one i32) (param $end i32) (param $other i32) (param $share f64) (param $other_share f64) (param $into i32)
    (if (i32.lt_u (local.get $one) (local.get $end))
      (then
        (loop $next
          (f32.store (local.get $into)
            (f32.demote_f64
              (f64.add
                (f64.mul (local.get $share) (f64.promote_f32 (f32.load (local.get $one))))
                (f64.mul (local.get $other_share) (f64.promote_f32 (f32.load (local.get $other)))))))
          (local.set $one (i32.add (local.get $one) (i32.const 4)))
          (local.set $other (i32.add (local.get $other) (i32.const 4)))
          (local.set $into (i32.add (local.get $into) (i32.const 4)))
          (br_if $next (i32.lt_u (local.get $one) (local.get $end)))))))

  ;; Adds to each text the products of a row's weights with the weights behind the postings of its terms.
  (func (export "addProducts")
    (param $term i32) (param $end i32) (param $weight i32)
    (param $starts i32) (param $texts i32) (param $weights i32) (param $into i32)
    (local $at i32) (local $behind i32) (local $factor f32) (local $place i32)
    (if (i32.lt_u (local.get $term) (local.get $end))
      (then
        (loop $next_term
          (local.set $place (i32.add (local.get $starts) (i32.shl (i32.load (local.get $term)) (i32.const 2))))
          (local.set $at (i32.shl (i32.load (local.get $place)) (i32.const 2)))
          (local.set $behind (i32.shl (i32.load offset=4 (local.get $place)) (i32.const 2)))
          (local.set $factor (f32.load (local.get $weight)))
          (if (i32.lt_u (local.get $at) (local.get $behind))
            (then
              (loop $next_text
                (local.set $place
                  (i32.add (local.get $into)
                    (i32.shl (i32.load (i32.add (local.get $texts) (local.get $at))) (i32.const 2))))
                (f32.store (local.get $place)
                  (f32.add
                    (f32.load (local.get $place))
                    (f32.mul (local.get $factor) (f32.load (i32.add (local.get $weights) (local.get $at))))))
                (local.set $at (i32.add (local.get $at) (i32.const 4)))
                (br_if $next_text (i32.lt_u (local.get $at) (local.get $behind))))))
          (local.set $term (i32.add (local.get $term) (i32.const 4)))
          (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
          (br_if $next_term (i32.lt_u (local.get $term) (local.get $end)))))))

  ;; exp(gamma * (similarity - 1)) - $least of four similarities, right to six digits. With x = k ln 2 + r the
  ;; exponential is 2^k exp(r), and exp(r) a polynomial (Cephes library, expf).
  (func $kernel (param $similarity v128) (param $gamma f32) (param $least f32) (result v128)
    (local $x v128) (local $k v128) (local $r v128) (local $p v128)
    (local.set $x
      (f32x4.pmin (v128.const f32x4 88 88 88 88)
        (f32x4.pmax (v128.const f32x4 -87 -87 -87 -87)
          (f32x4.mul
            (f32x4.splat (local.get $gamma))
            (f32x4.sub (local.get $similarity) (v128.const f32x4 1 1 1 1))))))
    (local.set $k (f32x4.nearest (f32x4.mul (local.get $x) (v128.const f32x4 1.44269504 1.44269504 1.44269504 1.44269504))))
    ;; ln 2 in two parts, the first with few digits, so that no product is rounded.
    (local.set $r
      (f32x4.sub
        (f32x4.sub (local.get $x) (f32x4.mul (local.get $k) (v128.const f32x4 0.693359375 0.693359375 0.693359375 0.693359375)))
        (f32x4.mul (local.get $k) (v128.const f32x4 -2.12194440e-4 -2.12194440e-4 -2.12194440e-4 -2.12194440e-4))))
    (local.set $p (v128.const f32x4 1.9875691500e-4 1.9875691500e-4 1.9875691500e-4 1.9875691500e-4))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 1.3981999507e-3 1.3981999507e-3 1.3981999507e-3 1.3981999507e-3)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 8.3334519073e-3 8.3334519073e-3 8.3334519073e-3 8.3334519073e-3)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 4.1665795894e-2 4.1665795894e-2 4.1665795894e-2 4.1665795894e-2)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 1.6666665459e-1 1.6666665459e-1 1.6666665459e-1 1.6666665459e-1)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 5.0000001201e-1 5.0000001201e-1 5.0000001201e-1 5.0000001201e-1)))
    (local.set $p
      (f32x4.add
        (f32x4.add (f32x4.mul (local.get $p) (f32x4.mul (local.get $r) (local.get $r))) (local.get $r))
        (v128.const f32x4 1 1 1 1)))
    (f32x4.sub
      (f32x4.mul
        (local.get $p)
        (i32x4.shl
          (i32x4.add (i32x4.trunc_sat_f32x4_s (local.get $k)) (v128.const i32x4 127 127 127 127))
          (i32.const 23)))
      (f32x4.splat (local.get $least))))

  ;; Writes the kernel value of each similarity.
  (func (export "kernelValues")
    (param $similarity i32) (param $end i32) (param $gamma f32) (param $least f32) (param $into i32)
    (if (i32.le_u (i32.add (local.get $similarity) (i32.const 16)) (local.get $end))
      (then
        (loop $next_four
          (v128.store (local.get $into)
            (call $kernel (v128.load (local.get $similarity)) (local.get $gamma) (local.get $least)))
          (local.set $similarity (i32.add (local.get $similarity) (i32.const 16)))
          (local.set $into (i32.add (local.get $into) (i32.const 16)))
          (br_if $next_four (i32.le_u (i32.add (local.get $similarity) (i32.const 16)) (local.get $end))))))
    (if (i32.lt_u (local.get $similarity) (local.get $end))
      (then
        (loop $next_one
          (v128.store32_lane 0 (local.get $into)
            (call $kernel (v128.load32_zero (local.get $similarity)) (local.get $gamma) (local.get $least)))
          (local.set $similarity (i32.add (local.get $similarity) (i32.const 4)))
          (local.set $into (i32.add (local.get $into) (i32.const 4)))
          (br_if $next_one (i32.lt_u (local.get $similarity) (local.get $end)))))))

  ;; The same at the similarities of a list of texts.
  (func (export "kernelValuesOf")
    (param $text i32) (param $end i32) (param $similarities i32) (param $gamma f32) (param $least f32) (param $into i32)
    (local $at i32)
    (if (i32.lt_u (local.get $text) (local.get $end))
      (then
        (loop $next
          (local.set $at (i32.shl (i32.load (local.get $text)) (i32.const 2)))
          (v128.store32_lane 0 (i32.add (local.get $into) (local.get $at))
            (call $kernel
              (v128.load32_zero (i32.add (local.get $similarities) (local.get $at))) (local.get $gamma) (local.get $least)))
          (local.set $text (i32.add (local.get $text) (i32.const 4)))
          (br_if $next (i32.lt_u (local.get $text) (local.get $end)))))))

  ;; Score of each workflow of a list: the sum of the weights of its head times the values of their texts, as float64 in
  ;; four sums.
  (func (export "headScores")
    (param $workflow i32) (param $end i32)
    (param $starts i32) (param $texts i32) (param $weights i32) (param $values i32) (param $into i32)
    (local $at i32) (local $behind i32) (local $place i32) (local $ab v128) (local $cd v128) (local $w v128) (local $v v128)
    (local $a f64)
    (if (i32.ge_u (local.get $workflow) (local.get $end)) (then (return)))
    (loop $next_workflow
      (local.set $place (i32.shl (i32.load (local.get $workflow)) (i32.const 2)))
      (local.set $at (i32.shl (i32.load (i32.add (local.get $starts) (local.get $place))) (i32.const 2)))
      (local.set $behind (i32.shl (i32.load offset=4 (i32.add (local.get $starts) (local.get $place))) (i32.const 2)))
      (local.set $ab (v128.const i32x4 0 0 0 0))
      (local.set $cd (v128.const i32x4 0 0 0 0))
      (if (i32.le_u (i32.add (local.get $at) (i32.const 16)) (local.get $behind))
        (then
          (loop $next_four
            (local.set $place (i32.add (local.get $texts) (local.get $at)))
            (local.set $w (v128.load (i32.add (local.get $weights) (local.get $at))))
            (local.set $v
              (v128.load32_lane 3
                (i32.add (local.get $values) (i32.shl (i32.load offset=12 (local.get $place)) (i32.const 2)))
                (v128.load32_lane 2
                  (i32.add (local.get $values) (i32.shl (i32.load offset=8 (local.get $place)) (i32.const 2)))
                  (v128.load32_lane 1
                    (i32.add (local.get $values) (i32.shl (i32.load offset=4 (local.get $place)) (i32.const 2)))
                    (v128.load32_zero
                      (i32.add (local.get $values) (i32.shl (i32.load (local.get $place)) (i32.const 2))))))))
            (local.set $ab
              (f64x2.add (local.get $ab)
                (f64x2.mul (f64x2.promote_low_f32x4 (local.get $w)) (f64x2.promote_low_f32x4 (local.get $v)))))
            (local.set $cd
              (f64x2.add (local.get $cd)
                (f64x2.mul
                  (f64x2.promote_low_f32x4
                    (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $w) (local.get $w)))
                  (f64x2.promote_low_f32x4
                    (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $v) (local.get $v))))))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br_if $next_four (i32.le_u (i32.add (local.get $at) (i32.const 16)) (local.get $behind))))))
      (local.set $a (f64x2.extract_lane 0 (local.get $ab)))
      (if (i32.lt_u (local.get $at) (local.get $behind))
        (then
          (loop $next_one
            (local.set $a
              (f64.add (local.get $a)
                (f64.mul
                  (f64.promote_f32 (f32.load (i32.add (local.get $weights) (local.get $at))))
                  (f64.promote_f32
                    (f32.load
                      (i32.add (local.get $values)
                        (i32.shl (i32.load (i32.add (local.get $texts) (local.get $at))) (i32.const 2))))))))
            (local.set $at (i32.add (local.get $at) (i32.const 4)))
            (br_if $next_one (i32.lt_u (local.get $at) (local.get $behind))))))
      (f64.store (i32.add (local.get $into) (i32.shl (i32.load (local.get $workflow)) (i32.const 3)))
        (f64.add
          (f64.add (local.get $a) (f64x2.extract_lane 1 (local.get $ab)))
          (f64.add (f64x2.extract_lane 0 (local.get $cd)) (f64x2.extract_lane 1 (local.get $cd)))))
      (local.set $workflow (i32.add (local.get $workflow) (i32.const 4)))
      (br_if $next_workflow (i32.lt_u (local.get $workflow) (local.get $end)))))

  ;; Best text, mean of the best three (a missing one counts 0) and mean of all texts of each workflow of a list, as
  ;; float64, for three similarities at once: those of all texts lie $stride bytes from one another. Nine lists of
  ;; results lie $room bytes from one another, three for each similarity.
  (func (export "closeness")
    (param $workflow i32) (param $end i32)
    (param $starts i32) (param $similarities i32) (param $stride i32) (param $into i32) (param $room i32)
    (local $at i32) (local $behind i32) (local $place i32) (local $v v128) (local $least v128)
    (local $first v128) (local $second v128) (local $third v128) (local $low v128) (local $high v128) (local $count f64)
    (if (i32.ge_u (local.get $workflow) (local.get $end)) (then (return)))
    (loop $next_workflow
      (local.set $place (i32.shl (i32.load (local.get $workflow)) (i32.const 2)))
      (local.set $at (i32.load (i32.add (local.get $starts) (local.get $place))))
      (local.set $behind (i32.load offset=4 (i32.add (local.get $starts) (local.get $place))))
      (local.set $count (f64.convert_i32_s (i32.sub (local.get $behind) (local.get $at))))
      (local.set $at (i32.add (local.get $similarities) (i32.shl (local.get $at) (i32.const 2))))
      (local.set $behind (i32.add (local.get $similarities) (i32.shl (local.get $behind) (i32.const 2))))
      (local.set $first (v128.const i32x4 0 0 0 0))
      (local.set $second (v128.const i32x4 0 0 0 0))
      (local.set $third (v128.const i32x4 0 0 0 0))
      (local.set $low (v128.const i32x4 0 0 0 0))
      (local.set $high (v128.const i32x4 0 0 0 0))
      (if (i32.lt_u (local.get $at) (local.get $behind))
        (then
          (loop $next_text
            (local.set $v
              (v128.load32_lane 2
                (i32.add (local.get $at) (i32.shl (local.get $stride) (i32.const 1)))
                (v128.load32_lane 1
                  (i32.add (local.get $at) (local.get $stride))
                  (v128.load32_zero (local.get $at)))))
            (local.set $low (f64x2.add (local.get $low) (f64x2.promote_low_f32x4 (local.get $v))))
            (local.set $high
              (f64x2.add (local.get $high)
                (f64x2.promote_low_f32x4
                  (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $v) (local.get $v)))))
            (local.set $least (f32x4.pmin (local.get $first) (local.get $v)))
            (local.set $first (f32x4.pmax (local.get $first) (local.get $v)))
            (local.set $v (f32x4.pmin (local.get $second) (local.get $least)))
            (local.set $second (f32x4.pmax (local.get $second) (local.get $least)))
            (local.set $third (f32x4.pmax (local.get $third) (local.get $v)))
            (local.set $at (i32.add (local.get $at) (i32.const 4)))
            (br_if $next_text (i32.lt_u (local.get $at) (local.get $behind))))))
      (local.set $place (i32.add (local.get $into) (i32.shl (i32.load (local.get $workflow)) (i32.const 3))))
      (call $store_closeness (local.get $place) (local.get $room)
        (f32x4.extract_lane 0 (local.get $first)) (f32x4.extract_lane 0 (local.get $second))
        (f32x4.extract_lane 0 (local.get $third)) (f64x2.extract_lane 0 (local.get $low)) (local.get $count))
      (local.set $place (i32.add (local.get $place) (i32.mul (local.get $room) (i32.const 3))))
      (call $store_closeness (local.get $place) (local.get $room)
        (f32x4.extract_lane 1 (local.get $first)) (f32x4.extract_lane 1 (local.get $second))
        (f32x4.extract_lane 1 (local.get $third)) (f64x2.extract_lane 1 (local.get $low)) (local.get $count))
      (local.set $place (i32.add (local.get $place) (i32.mul (local.get $room) (i32.const 3))))
      (call $store_closeness (local.get $place) (local.get $room)
        (f32x4.extract_lane 2 (local.get $first)) (f32x4.extract_lane 2 (local.get $second))
        (f32x4.extract_lane 2 (local.get $third)) (f64x2.extract_lane 0 (local.get $high)) (local.get $count))
      (local.set $workflow (i32.add (local.get $workflow) (i32.const 4)))
      (br_if $next_workflow (i32.lt_u (local.get $workflow) (local.get $end)))))

  (func $store_closeness
    (param $place i32) (param $room i32)
    (param $first f32) (param $second f32) (param $third f32) (param $sum f64) (param $count f64)
    (f64.store (local.get $place) (f64.promote_f32 (local.get $first)))
    (local.set $place (i32.add (local.get $place) (local.get $room)))
    (f64.store (local.get $place)
      (f64.div
        (f64.add
          (f64.add (f64.promote_f32 (local.get $first)) (f64.promote_f32 (local.get $second)))
          (f64.promote_f32 (local.get $third)))
        (f64.const 3)))
    (local.set $place (i32.add (local.get $place) (local.get $room)))
    (f64.store (local.get $place) (f64.div (local.get $sum) (local.get $count)))))
