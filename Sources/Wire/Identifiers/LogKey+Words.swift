extension LogKey: CustomStringConvertible {
    /// The log for people, with the first characters of the ids: "the data log 5cmookim of zone k7qf2m3x".
    package var description: String {
        let kind =
            switch lane {
            case .control: "control"
            case .data: "data"
            }
        return "the \(kind) log \(actor.shortText) of zone \(zone.shortText)"
    }
}
