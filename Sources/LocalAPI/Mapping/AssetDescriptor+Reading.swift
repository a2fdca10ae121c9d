import FoundationEssentials
import KairanInterface
import Node
import Wire

extension AssetDescriptor {
    /// Reads the description of an asset, whose secret only the node knows.
    ///
    /// The size is not looked at beyond its form: the node knows that too.
    /// - Parameters:
    ///   - json: The JSON value of the request.
    ///   - path: The place of the value, for messages.
    /// - Throws: `invalidArgument` with the path of the first mistake.
    init(interfaceJSON json: JSONValue, at path: String) throws(NodeError) {
        let names = ["asset", "size", "media_type", "name", "modified_at", "thumbnail"]
        let object = try RequestObject(json, at: path, allowing: names)
        guard let payload = PayloadID(text: try object.requiredText("asset")) else {
            throw .invalid(object.place("asset"), "the id of an asset is expected: 52 characters, as an upload answers")
        }
        self.init(
            payload: payload,
            size: UInt64(try object.number("size", in: 0...Int64(clamping: Self.sizeMax), default: 0)),
            secret: .unknown,
            mediaType: try object.mediaType("media_type"),
            fileName: try object.fileName("name"),
            modified: try object.time("modified_at"),
            thumbnail: try object.thumbnail("thumbnail")
        )
    }
}

extension RequestObject {
    /// A media type; empty when it is not there.
    fileprivate func mediaType(_ name: String) throws(NodeError) -> String {
        let text = try text(name) ?? ""
        guard text.utf8.count <= Limits.mediaTypeByteCountMax else {
            throw .invalid(place(name), "a media type has at most \(Limits.mediaTypeByteCountMax) bytes")
        }
        return text
    }

    /// The name of a file; empty when it is not there.
    fileprivate func fileName(_ name: String) throws(NodeError) -> String {
        let text = try text(name) ?? ""
        guard AssetDescriptor.isFileName(text) else {
            throw .invalid(
                place(name),
                """
                a file's name has at most \(Limits.fileNameByteCountMax) bytes, no slash and no NUL, \
                and is neither . nor ..
                """
            )
        }
        return text
    }

    /// A time in milliseconds since 1970.
    fileprivate func time(_ name: String) throws(NodeError) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let milliseconds = RFC3339.milliseconds(text) else {
            throw .invalid(
                place(name),
                "a time like 2026-07-21T09:30:00.125Z is expected, not finer than milliseconds"
            )
        }
        return milliseconds
    }

    /// A small picture; empty when it is not there.
    fileprivate func thumbnail(_ name: String) throws(NodeError) -> [UInt8] {
        guard let text = try text(name) else { return [] }
        guard let bytes = Data(base64Encoded: text), bytes.count <= Limits.thumbnailByteCountMax else {
            throw .invalid(place(name), "base64 of at most \(Limits.thumbnailByteCountMax) bytes is expected")
        }
        return Array(bytes)
    }
}
