//! The rows of one table, grouped by the row of another that they refer to. Linear in rows, two vectors.

/// Rows grouped by their target; within a group in the order of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouped {
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Grouped {
    /// Groups rows 0.. by `targets`, of which there are `groups`. Rows that point nowhere, or past the end, are in none.
    pub fn by(groups: usize, targets: impl Iterator<Item = Option<u32>> + Clone) -> Grouped {
        let mut ends = vec![0_u32; groups];
        for target in targets.clone().flatten() {
            if let Some(count) = ends.get_mut(target as usize) {
                *count += 1;
            }
        }
        let mut sum = 0_u32;
        for end in &mut ends {
            let count = *end;
            // For now the start of each group; filling it moves it to the end.
            *end = sum;
            sum += count;
        }
        let mut rows = vec![0_u32; sum as usize];
        for (row, target) in (0_u32..).zip(targets) {
            let Some(at) = target.and_then(|target| ends.get_mut(target as usize)) else { continue };
            if let Some(cell) = rows.get_mut(*at as usize) {
                *cell = row;
            }
            *at += 1;
        }
        Grouped { ends, rows }
    }

    /// The rows of one group.
    pub fn of(&self, group: u32) -> &[u32] {
        let group = group as usize;
        let start = group.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range =
            start.zip(self.ends.get(group)).and_then(|(start, end)| self.rows.get(start as usize..*end as usize));
        range.unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: rows 0 and 3 point to group 1, row 2 to group 0, row 1 nowhere, row 4 past the end.
    #[test]
    fn rows_go_to_their_group() {
        let targets = [Some(1), None, Some(0), Some(1), Some(9)];
        let grouped = Grouped::by(3, targets.iter().copied());
        assert_eq!(grouped.of(0), [2]);
        assert_eq!(grouped.of(1), [0, 3]);
        assert_eq!(grouped.of(2), [0_u32; 0]);
        assert_eq!(grouped.of(7), [0_u32; 0]);
    }
}
