package import Records

extension ZoneRow {
    /// Whether the zone was deleted.
    package var isDeleted: Bool {
        if case .deleted = state { return true }
        return false
    }
}
