import Foundation

// Translates the cluster's answers into errors.
extension ParcelStream {
    static let streamNotFound = 10_059
    static let nameTaken = 10_058
    static let noMessage = 10_037

    /// Translates an error of the interface.
    static func failure(_ error: APIError?) -> StreamError {
        let words = error?.description ?? "the cluster gave an answer without content"
        switch error?.err_code {
        // Something else was written on the subject, or is about to be.
        case 10_071, 10_164: return .conflict
        // The batch was not finished, or too many were under way: the leader changed, or is busy.
        case 10_176, 10_210: return .passing(words)
        // The cluster has no leader, or the stream none, or not enough servers have come up.
        case 10_005, 10_008, 10_009, 10_118, 10_163: return .passing(words)
        case 10_077: return words.contains("maximum") ? .full : .failed(words)
        case 10_023, 10_047: return .full
        default: return .failed(words)
        }
    }

    /// Translates a status that came in place of an answer.
    static func failure(_ reply: NATSReply) -> StreamError {
        let words = reply.statusText ?? "status \(reply.status ?? 0)"
        switch reply.status {
        case 413: return .tooManyResults
        // No server leads at this moment; or a message was removed while it was read.
        case 503, 404: return .passing(words)
        default: return .failed(words)
        }
    }

    static func encode(_ value: some Encodable) -> [UInt8] {
        // Our own values have nothing that JSON cannot say.
        (try? JSONEncoder().encode(value)).map { [UInt8]($0) } ?? []
    }

    static func decode<Value: Decodable>(_ bytes: [UInt8]) throws(StreamError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw .failed("the cluster's answer cannot be read")
        }
    }
}
