import Wire

extension ZoneRow: UnprintedSecret {
    /// The zone's id, and nothing of its key.
    package var description: String { "zone \(id)" }
}
