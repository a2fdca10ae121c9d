import Identity
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

    /// The error of content for which too few devices have made promises.
    static func assetNotSafe(
        copies: Int,
        _ answers: [HolderAnswer],
        accounts: [AccountID: AccountState]
    ) -> NodeError {
        let promises = answers.count { if case .promised = $0.word { true } else { false } }
        let words = answers.map { answer in
            let name = accounts[answer.account]?.devices[answer.device]?.name ?? answer.device.shortText
            return "\(name) \(answer.word.clause)"
        }
        let asked = words.isEmpty ? "No device that could promise it is connected" : words.joined(separator: ", ")
        let count = promises == 0 ? "No device has" : promises == 1 ? "1 device has" : "\(promises) devices have"
        let needed = copies == 1 ? "one has to" : "\(copies) have to"
        return NodeError(
            .assetNotSafe,
            "\(count) promised to keep the content, and \(needed); nothing was dropped. \(asked).",
            fix: "Let this device meet others that have the content; `kairan asset why ASSET` asks which have it.",
            facts: [.holders(answers.map(AssetHolderView.init))]
        )
    }

    /// The error of content that this device has promised to keep.
    static func assetPromised(until milliseconds: UInt64) -> NodeError {
        let end = RFC3339.text(milliseconds: Int64(clamping: milliseconds))
        return NodeError(
            .assetPromised,
            "This device has promised another one to keep the content until \(end).",
            fix: "Try again then, or evict the content on another device.",
            facts: [.promisedUntil(milliseconds: milliseconds)]
        )
    }

    /// The error of content that is in use here.
    static func assetBusy(_ obstacle: EvictionObstacle) -> NodeError {
        let (message, fix) =
            switch obstacle {
            case .incomplete:
                ("Not all of the content is here.", "`kairan asset cancel` drops the part that is here.")
            case .message: ("A message needs the content.", "Try again when the message is gone.")
            case .custody: ("The content is kept for other devices.", "Try again when they have it.")
            case .attempt: ("The content is being evicted for another caller.", "Wait for that.")
            case .full: ("As many contents as may be are being evicted.", "Try again in a moment.")
            case .stale: ("The promises of the other devices may be over by now.", "Try again.")
            case .absent, .unnamed, .ended, .promised, .storage, .linked:
                ("The content has changed meanwhile.", "Try again.")
            }
        return NodeError(.assetBusy, message, fix: fix)
    }

    /// The error of content that a program reads at present.
    static let assetRead = NodeError(
        .assetBusy,
        "A program is reading the content.",
        fix: "Try again when it has done so."
    )

    /// The error of a text that is no cursor of a list.
    static let badCursor = NodeError(
        .queryBadCursor,
        "The text is not a cursor.",
        fix: "Use the `cursor` of the previous page, or begin without one.",
        facts: [.field("after")]
    )
}

extension HolderAnswer.Word {
    /// The answer, as the clause behind the name of a device.
    fileprivate var clause: String {
        switch self {
        case .promised: "has promised"
        case .held: "has it"
        case .absent: "does not have it"
        case .evicting: "is about to drop it"
        case .refused: "cannot promise now"
        case .silent: "has not answered"
        case .unaware: "has a program that does not know the question"
        }
    }
}

extension NodeError {
    /// The error of a file that cannot be linked.
    static func link(_ fault: LinkFault, _ file: String) -> NodeError {
        switch fault {
        case .outside:
            NodeError(
                .linkPath,
                "\"\(file)\" is beneath no root of this daemon.",
                fix: "Name the folder in the setting linked-roots; `kairan asset link` takes files beneath it.",
                facts: [.field("file")]
            )
        case .tooLong, .badName:
            NodeError(
                .linkPath,
                "The path is too long, or has a byte that no path has.",
                fix: "Rename the file.",
                facts: [.field("file")]
            )
        case .rootUnavailable:
            NodeError(
                .linkUnusable,
                "The root of \"\(file)\" is not there.",
                fix: "Mount its disk, and see `kairan doctor`."
            )
        case .missing:
            NodeError(
                .linkUnusable,
                "There is no file \"\(file)\", as the daemon sees it.",
                fix: "Check the path, and whether the service's sandbox shows the folder to the daemon."
            )
        case .symbolicLink, .special:
            NodeError(
                .linkUnusable,
                "\"\(file)\" is no regular file, or a symbolic link is on the way to it.",
                fix: "Name the file itself."
            )
        case .unreadable:
            NodeError(
                .linkUnusable,
                "The daemon cannot read \"\(file)\".",
                fix: "Let the user of the daemon read it; it need not write it."
            )
        case .changed:
            NodeError(
                .linkChanged,
                "\"\(file)\" has changed while it was read.",
                fix: "Try again when no program writes to it."
            )
        case .tooLarge: .linkTooLarge
        }
    }

    /// The error of a file that is too large for an asset.
    static let linkTooLarge = NodeError(
        .assetTooLarge,
        "The file has more bytes than the content of an asset may have.",
        fix: "Divide it into several files."
    )

    /// The error of a file that does not have the content of an asset.
    static func linkDiffers(_ file: String) -> NodeError {
        NodeError(
            .linkDiffers,
            "\"\(file)\" does not have the content of the asset.",
            fix: "Link a copy of the content, byte for byte; `kairan asset get` makes one."
        )
    }

    /// The error of content in a linked file, which is not the device's to drop.
    static let assetLinked = NodeError(
        .assetLinked,
        "The content is in a linked file, which an eviction does not touch.",
        fix: "End the link first: `kairan asset unlink ZONE RECORD FIELD`."
    )

    /// The error of a link that is not there.
    static func linkUnknown(_ file: String) -> NodeError {
        NodeError(.linkUnknown, "\"\(file)\" is not linked to the asset.", fix: "`kairan asset links` lists the links.")
    }

    /// The error of content to which no further file can be linked.
    static let linkRefused = NodeError(
        .assetBusy,
        "The content is kept for other devices, is held by another statement, or has as many links as may be.",
        fix: "`kairan asset why ASSET` shows its state, and `kairan asset links` its files."
    )
}
