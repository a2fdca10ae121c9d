import KairanClient

/// Something that a peer sent and no honest program sends, as a sentence.
enum AnomalyText {
    /// The sentence.
    /// - Parameters:
    ///   - anomaly: The anomaly.
    ///   - style: The style of the output, with the names of accounts and zones.
    /// - Returns: One line, without control characters.
    static func sentence(_ anomaly: DaemonEvent.Anomaly, style: Style) -> String {
        let sender = device(anomaly.peer, anomaly.peerName, style).map { device in
            anomaly.account.map { "\(device) of account \(style.account($0))" } ?? device
        }
        let author = device(anomaly.author, anomaly.authorName, style)
        let (deed, outcome) = deed(anomaly.kind)
        var text = "anomaly: \(author ?? sender ?? "a device") \(deed)"
        if let zone = anomaly.zone {
            text += " in \(style.zones.contains(zone) ? style.zone(zone) : "zone \(style.id(zone))")"
        }
        if anomaly.count > 1 { text += ", \(anomaly.count) times" }
        if let sender, author != nil, anomaly.peer != anomaly.author { text += ", delivered by \(sender)" }
        return outcome.isEmpty ? text : "\(text); \(outcome)"
    }

    private static func device(_ id: String?, _ name: String?, _ style: Style) -> String? {
        id.map { id in name.map { "\(Table.visible($0)) (\(style.id(id)))" } ?? "device \(style.id(id))" }
    }

    /// The act of a kind, and its consequence.
    private static func deed(_ kind: DaemonEvent.Anomaly.Kind) -> (String, String) {
        switch kind {
        case .violation: ("broke the protocol", "its session was ended")
        case .brokenLog: ("signed a log that breaks a rule", "it is refused")
        case .forkedLog: ("signed two histories of one log", "the log ends where they part")
        case .refusedCapability: ("granted a right that is not valid", "it is refused")
        case .outOfRight: ("wrote outside of its right", "that has no effect")
        case .outOfSchema: ("wrote records that break the schema", "they have no effect")
        case .unsound: ("sealed data that is not a record", "it has no effect")
        default: (Table.visible(kind.rawValue), "")
        }
    }
}
