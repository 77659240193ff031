//! Finding the needed units among many that work together.
//!
//! Assumes that more units never hurt. Each needed unit costs about log₂ of the units' number in runs, less where the
//! needed units are equal or few. What it keeps has always been run.

/// Searches for the shortest beginning of the open units that works together with the units already found; its last unit
/// is needed. Then the same with what comes before it, until nothing more is needed.
#[derive(Clone, Debug)]
pub struct Bisect {
    /// Units known to be needed, in the order in which they were found.
    needed: Vec<u32>,
    open: Vec<u32>,
    /// The needed units and so many open ones do not work; none if that is not known.
    too_few: Option<usize>,
    /// Units with an equal number here are equal in what they do.
    kinds: Vec<u32>,
}

/// How likely it is that nothing more is needed, each time something was found.
const ENOUGH: f64 = 0.52;
/// How likely it is that a unit is needed when an equal one is.
const ALIKE: f64 = 0.7;

impl Bisect {
    /// Starts with units of these kinds that work all together, and how many of the first of them surely do not, if that is
    /// known.
    pub fn new(kinds: Vec<u32>, units: Vec<u32>, too_few: Option<usize>) -> Self {
        Self { needed: Vec::new(), open: units, too_few, kinds }.settle()
    }

    /// The units to try next, in order, and how likely they work; none when what is needed is known.
    pub fn next(&self) -> Option<(Vec<u32>, f64)> {
        let (count, odds) = self.middle()?;
        Some((self.with(count), odds))
    }

    /// What is kept now.
    pub fn kept(&self) -> Vec<u32> {
        self.with(self.open.len())
    }

    /// Those units did not work.
    pub fn no(&mut self) {
        if let Some((count, _)) = self.middle() {
            self.too_few = Some(count);
        }
        *self = self.clone().settle();
    }

    /// Those units worked, or only these of them.
    pub fn yes(&mut self, left: &[u32]) {
        if let Some((count, _)) = self.middle() {
            self.open.truncate(count);
        }
        if self.needed.iter().any(|unit| !left.contains(unit)) {
            // It worked sooner than at all units known as needed: start again with what is left.
            self.needed.clear();
            self.too_few = None;
            self.open = left.to_vec();
        } else {
            self.open.retain(|unit| left.contains(unit));
        }
        *self = self.clone().settle();
    }

    fn with(&self, count: usize) -> Vec<u32> {
        let mut units: Vec<u32> = self.open[..count].to_vec();
        units.extend_from_slice(&self.needed);
        units.sort_unstable();
        units
    }

    /// Takes over the last open unit while it is the only one that can be needed. The units like it come last then, since
    /// they are likely needed too.
    fn settle(mut self) -> Self {
        while self.too_few.is_some_and(|few| few + 1 == self.open.len()) {
            let Some(needed) = self.open.pop() else { break };
            self.needed.push(needed);
            self.too_few = None;
            let kind = self.kinds[needed as usize];
            self.open.sort_by_key(|&unit| (self.kinds[unit as usize] == kind, unit));
        }
        self
    }

    /// How many open units to try: where both answers are equally likely.
    fn middle(&self) -> Option<(usize, f64)> {
        let least = self.too_few.map_or(0, |few| few + 1);
        let most = self.open.len();
        if least >= most {
            return None;
        }
        let mass: Vec<f64> = (least..=most).map(|count| self.mass(count)).collect();
        let total: f64 = mass.iter().sum();
        let mut sum = 0.0;
        for (at, part) in mass.iter().enumerate().take(most - least) {
            sum += part;
            if sum * 2.0 >= total || least + at + 1 == most {
                return Some((least + at, sum / total));
            }
        }
        None
    }

    /// How likely exactly so many open units are needed, up to a factor.
    fn mass(&self, count: usize) -> f64 {
        let most = self.open.len() as f64;
        match self.needed.last() {
            Some(_) if count == 0 => ENOUGH / (1.0 - ENOUGH) * most,
            Some(&needed) if count == self.open.len() && self.alike(needed) => {
                ALIKE / (1.0 - ALIKE) * most * 2.0
            }
            _ => 1.0,
        }
    }

    fn alike(&self, needed: u32) -> bool {
        self.open.last().is_some_and(|&last| self.kinds[last as usize] == self.kinds[needed as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(kinds: &[u32], works: impl Fn(&[u32]) -> bool) -> (Vec<u32>, usize) {
        let mut bisect = Bisect::new(kinds.to_vec(), (0..kinds.len() as u32).collect(), Some(0));
        let mut runs = 0;
        while let Some((units, _)) = bisect.next() {
            runs += 1;
            if works(&units) { bisect.yes(&units) } else { bisect.no() }
        }
        (bisect.kept(), runs)
    }

    #[test]
    fn each_needed_unit_costs_about_the_logarithm() {
        let kinds: Vec<u32> = (0..64).collect();
        let (kept, runs) = search(&kinds, |units| units.contains(&20) && units.contains(&45));
        assert_eq!(kept, [20, 45]);
        assert!(runs <= 16, "{runs}");
        let (kept, runs) = search(&kinds, |units| units.contains(&63));
        assert_eq!(kept, [63]);
        assert!(runs <= 8, "{runs}");
    }

    #[test]
    fn equal_units_are_counted_one_by_one() {
        // Twenty taps on one button of which any three are enough, between others.
        let kinds: Vec<u32> = (0..40).map(|unit| if (10..30).contains(&unit) { 99 } else { unit }).collect();
        let (kept, runs) =
            search(&kinds, |units| units.iter().filter(|&&unit| (10..30).contains(&unit)).count() >= 3);
        assert_eq!(kept.len(), 3);
        assert!(runs <= 10, "{runs}");
    }

    #[test]
    fn what_is_known_to_be_too_few_is_not_asked_again() {
        let mut bisect = Bisect::new((0..6).collect(), vec![5, 2, 0, 1, 4, 3], Some(5));
        assert_eq!(bisect.next().map(|(units, _)| units), Some(vec![3]), "3 is needed without a run");
        bisect.no();
        while let Some((units, _)) = bisect.next() {
            if units.contains(&2) { bisect.yes(&units) } else { bisect.no() }
        }
        assert_eq!(bisect.kept(), [2, 3]);
    }

    #[test]
    fn a_single_unit_that_is_needed_costs_nothing() {
        assert_eq!(search(&[7], |units| !units.is_empty()), (vec![0], 0));
    }
}
