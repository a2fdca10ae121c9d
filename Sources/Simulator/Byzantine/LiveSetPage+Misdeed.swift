import Wire

extension LiveSetPage {
    /// What is said in its place by somebody who would have others let go of what lives.
    /// - Parameter random: Where chance comes from.
    /// - Returns: A page that is well formed.
    func withholding(_ random: inout SeededGenerator) -> LiveSetPage {
        let kept = records.filter { _ in random.chance(0.5) }
        return LiveSetPage(zone: zone, checkpoint: checkpoint, records: kept, isLast: true)
    }
}
