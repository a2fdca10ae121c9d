import HTTPTypes
import Node

/// Content that an answer reads in parts.
protocol ContentSource: Sendable {
    /// Reads a part.
    /// - Parameter offset: The first byte to return.
    /// - Returns: Some bytes from there, none at the end.
    /// - Throws: The error that the caller gets, if nothing was answered yet.
    func part(from offset: UInt64) async throws -> ContentPart

    /// Further headers of the answer, by its first part.
    func headers(_ first: ContentPart) -> HTTPFields
}

/// The content of a message, in its record or separate.
struct MessageContentSource: ContentSource {
    let payloads: any PayloadAPI
    let message: String

    func part(from offset: UInt64) async throws -> ContentPart {
        try await payloads.content(ofMessage: message, from: offset)
    }

    func headers(_ first: ContentPart) -> HTTPFields { [:] }
}

/// The content of an asset, which is fetched while it is read.
struct AssetContentSource: ContentSource {
    let assets: any AssetAPI
    let place: AssetPlace
    let waitMilliseconds: UInt64
    let reader: ReaderPresence

    /// Waits for the part, as long as its reader does.
    func part(from offset: UInt64) async throws -> ContentPart {
        try await reader.whileHere { [assets, place, waitMilliseconds] in
            try await assets.content(place, from: offset, waitMilliseconds: waitMilliseconds)
        }
    }

    func headers(_ first: ContentPart) -> HTTPFields {
        var headers: HTTPFields = [.contentDisposition: ContentDisposition.attachment(first.fileName)]
        if let tag = first.entityTag { headers[.eTag] = tag }
        return headers
    }
}

extension ContentPart {
    /// The value of `ETag`, which is strong; `nil` for content that has none.
    var entityTag: String? { validator.map { "\"\($0)\"" } }
}
