import Sync
import Wire

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
