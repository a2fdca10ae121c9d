import Wire

extension LiveSetPage {
    /// Returns a page that withholds live records, from a device that wants others to drop them.
    /// - Parameter random: The source of randomness.
    /// - Returns: A page that is well formed.
    func withholding(_ random: inout SeededGenerator) -> LiveSetPage {
        let kept = records.filter { _ in random.chance(0.5) }
        return LiveSetPage(zone: zone, checkpoint: checkpoint, records: kept, isLast: true)
    }
}
