/// The programs that look into files, and the one that shuts them in.
package enum MediaTool: String, Sendable, Hashable, CaseIterable {
    /// Shuts a program in.
    case bwrap
    /// Reads metadata.
    case exiftool
    /// Makes small pictures of pictures.
    case vipsthumbnail
    /// Makes small pictures of videos.
    case ffmpegthumbnailer

    /// The place where Debian's package puts it.
    package var path: String { "/usr/bin/" + rawValue }

    /// The Debian package.
    package var package: String {
        switch self {
        case .bwrap: "bubblewrap"
        case .exiftool: "libimage-exiftool-perl"
        case .vipsthumbnail: "libvips-tools"
        case .ffmpegthumbnailer: "ffmpegthumbnailer"
        }
    }

    /// Those without which pictures have no metadata, or no thumbnails.
    package static let needed: [MediaTool] = [.bwrap, .exiftool, .vipsthumbnail]
}

/// The reason why files are imported without metadata or thumbnails.
package struct ToolShortage: Sendable, Hashable {
    /// The programs that are not installed.
    package var missing: [MediaTool]
    /// Whether the system lets no program be shut in.
    package var hasNoSandbox: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(missing: [MediaTool], hasNoSandbox: Bool) {
        (self.missing, self.hasNoSandbox) = (missing, hasNoSandbox)
    }

    /// Whether nothing is read from files at all.
    package var isTotal: Bool {
        hasNoSandbox || missing.contains(.bwrap) || Set(missing).isSuperset(of: [.exiftool, .vipsthumbnail])
    }
}

extension ToolShortage: CustomStringConvertible {
    /// The reason and the remedy, as sentences.
    package var description: String {
        let part = missing.contains(.exiftool) ? "metadata" : "thumbnails"
        let effect = "without " + (isTotal ? "metadata and thumbnails" : part)
        guard !missing.isEmpty else {
            return "Files are imported \(effect): the kernel refuses the namespaces in which bwrap shuts programs in."
        }
        let names = missing.map(\.rawValue).joined(separator: ", ")
        let packages = missing.map(\.package).joined(separator: " ")
        return "Files are imported \(effect): \(names) is not installed. Install it: apt install \(packages)."
    }
}
