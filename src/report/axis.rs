//! The marks of an axis: round numbers, each where it is.

/// An axis from 0 on, of whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    top: f64,
    /// How far apart its marks are.
    stride: u64,
}

/// An axis has no more marks above 0.
const MOST_MARKS: f64 = 5.0;

impl Axis {
    /// An axis that ends exactly here, whether there is a mark or not.
    pub fn ending_at(top: f64) -> Self {
        let decades = std::iter::successors(Some(1_u64), |decade| decade.checked_mul(10));
        let mut strides = decades.flat_map(|decade| [1, 2, 5].map(|times| decade.saturating_mul(times)));
        let is_wide = |stride: &u64| top / *stride as f64 <= MOST_MARKS;
        Self { top, stride: strides.find(is_wide).unwrap_or(u64::MAX) }
    }

    /// An axis that ends with the first mark that is not below this.
    pub fn up_to(highest: f64) -> Self {
        let Self { top, stride } = Self::ending_at(highest);
        Self { top: (top / stride as f64).ceil().max(1.0) * stride as f64, stride }
    }

    /// Where it ends.
    pub fn top(self) -> f64 {
        self.top
    }

    /// The numbers at its marks, 0 first.
    pub fn marks(self) -> impl Iterator<Item = u64> {
        (0..=MOST_MARKS as u64)
            .map_while(move |mark| mark.checked_mul(self.stride))
            .take_while(move |mark| *mark as f64 <= self.top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_numbers() {
        let marks = |top: f64| Axis::ending_at(top).marks().collect::<Vec<u64>>();
        assert_eq!(marks(1.0), [0, 1]);
        assert_eq!(marks(7.0), [0, 2, 4, 6]);
        assert_eq!(marks(34.5), [0, 10, 20, 30]);
        assert_eq!(marks(102.0), [0, 50, 100]);
        assert_eq!(marks(2_000.0), [0, 500, 1_000, 1_500, 2_000]);
        assert_eq!(marks(0.0), [0]);
        assert!(marks(u64::MAX as f64).len() > 1);
    }

    #[test]
    fn an_axis_may_end_with_a_mark_that_is_above_everything() {
        for (highest, top) in [(0.0, 1.0), (1.0, 1.0), (34.5, 40.0), (100.0, 100.0), (102.0, 150.0)] {
            let axis = Axis::up_to(highest);
            assert!((axis.top() - top).abs() < 1e-9, "{highest}: {}", axis.top());
            assert!((axis.marks().last().unwrap_or_default() as f64 - top).abs() < 1e-9);
        }
    }
}
