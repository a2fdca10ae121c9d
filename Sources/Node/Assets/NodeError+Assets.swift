import KairanInterface
import Sync
import Wire

extension NodeError {
    /// The error of a place that has no asset.
    static func assetUnknown(at place: AssetPlace) -> NodeError {
        let item = place.item.map { ", item \($0)," } ?? ""
        return NodeError(
            .assetUnknown,
            "The field \"\(place.field)\"\(item) of \"\(place.record)\" has no asset.",
            fix: "`kairan asset ls ZONE` lists the assets of a zone, with the items of lists and sets.",
            facts: [.record(place.record)]
        )
    }

    /// The error of an id that names no asset here.
    static func assetUnknown(_ text: String) -> NodeError {
        NodeError(
            .assetUnknown,
            "No record that you may see names the asset \"\(text)\", and it is not here.",
            fix: "`kairan asset ls ZONE` lists the assets of a zone."
        )
    }

    /// The error of a write that names an asset which its zone does not allow.
    static func assetUnknown(_ payload: PayloadID, field: String, record: String) -> NodeError {
        NodeError(
            .assetUnknown,
            """
            "\(field)" of "\(record)" names the asset \(payload.text), which was not uploaded here for this zone, and \
            which no record of the zone names.
            """,
            fix: "Upload it to the zone first, and name it within a day; `kairan asset add` does both.",
            facts: [.field("fields.\(field)"), .record(record)]
        )
    }

    /// The error of content that did not arrive in time.
    static func assetUnavailable(_ state: AssetState) -> NodeError {
        let (message, fix) =
            switch state {
            case .missing:
                (
                    "The content of the asset is not here, and every connected device that may have it lacks it.",
                    "Let this device meet another one that has it; `kairan asset why ASSET` shows its records."
                )
            case .unresolved, .remote, .evicted:
                (
                    "The content of the asset is not here, and no device that may have it is connected.",
                    "Let this device meet one that has it; `kairan peers` lists the devices in reach."
                )
            case .queued, .partial, .present:
                (
                    "The content of the asset is not all here yet, and the requested part did not arrive in time.",
                    "Ask again: it is being fetched, and `kairan asset ls ZONE` shows the progress."
                )
            }
        return NodeError(.assetUnavailable, message, fix: fix, facts: [.state(state.word.rawValue)])
    }

    /// The error of content that is not here, in a zone whose assets this device never fetches.
    static let assetNotWanted = NodeError(
        .assetNotWanted,
        "The content of the asset is not here, and this device fetches no assets of the zone.",
        fix: "Change the policy: `kairan asset policy ZONE on-demand`, or always."
    )

    /// The error of a text that is no cursor of a list of assets.
    static let assetBadCursor = NodeError(
        .queryBadCursor,
        "The text is not a cursor.",
        fix: "Use the `cursor` of the previous page, or begin without one.",
        facts: [.field("after")]
    )
}
