/// The making of small pictures for records.
package enum Thumbnail {
    /// The judgement of a picture that a tool has made.
    package enum Verdict: Sendable, Hashable {
        /// It can be a part of a record.
        case fits
        /// A smaller one is needed.
        case tooLarge
        /// It is no picture.
        case unusable
    }

    /// The most bytes that a record takes (`docs/api/assets.md`).
    package static let byteCountMax = 16_384
    /// The longest edges that are tried, in pixels, until a picture fits.
    package static let edges = [320, 256, 192, 128, 96, 64]
    /// The bytes of a picture that are read: a larger one has no use.
    package static let outputByteCountMax = 1 << 20

    /// The tool for content of a type.
    /// - Parameter mediaType: The type; `nil` where it is not known.
    /// - Returns: The tool; `nil` where there is no picture to make.
    package static func tool(for mediaType: String?) -> MediaTool? {
        guard let mediaType else { return nil }
        return mediaType.hasPrefix("image/") ? .vipsthumbnail : mediaType.hasPrefix("video/") ? .ffmpegthumbnailer : nil
    }

    /// The command that makes a picture of a file.
    /// - Parameters:
    ///   - tool: The tool.
    ///   - name: The name of the file in the sandbox.
    ///   - edge: The longest edge, in pixels.
    /// - Returns: The command; `nil` for a tool that makes no pictures.
    package static func command(_ tool: MediaTool, of name: String, edge: Int) -> [String]? {
        switch tool {
        case .vipsthumbnail:
            // Turned as the camera was held, in the colours of screens, and without the metadata; a small picture stays as small.
            [
                tool.path, name, "--size", "\(edge)x\(edge)>", "--export-profile", "srgb", "-o",
                ".webp[Q=65,strip]",
            ]
        case .ffmpegthumbnailer:
            [tool.path, "-i", name, "-o", "-", "-c", "jpeg", "-s", "\(edge)", "-q", "6"]
        default: nil
        }
    }

    /// Judges a picture by its size and its first bytes.
    package static func verdict(_ bytes: [UInt8]) -> Verdict {
        let isWebP =
            bytes.count > 12 && bytes.starts(with: "RIFF".utf8) && bytes[8..<12].elementsEqual("WEBP".utf8)
        guard isWebP || bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return .unusable }
        return bytes.count <= byteCountMax ? .fits : .tooLarge
    }
}
