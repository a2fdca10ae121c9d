import Hummingbird
import Node

extension LocalRequestContext {
    /// A segment of the path as plain text.
    /// - Throws: `invalidArgument` when its percent-encoding is wrong or not UTF-8.
    func segment(_ name: String) throws(NodeError) -> String {
        guard let raw = parameters.get(name), let text = raw.percentDecoded, !text.isEmpty else {
            throw .invalid(name, "the path has no proper name here")
        }
        return text
    }
}

extension Request {
    /// A parameter of the query as plain text; `nil` when it is not there.
    func parameter(_ name: String) throws(NodeError) -> String? {
        for pair in (uri.query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard String(parts[0]).percentDecoded == name else { continue }
            guard parts.count == 2, let text = String(parts[1]).percentDecoded else {
                throw .invalid(name, "the parameter's encoding is wrong")
            }
            return text
        }
        return nil
    }

    /// A parameter that is a whole number.
    /// - Parameters:
    ///   - name: Its name.
    ///   - range: What is allowed.
    ///   - absent: What counts when it is not there.
    func number(_ name: String, in range: ClosedRange<Int>, default absent: Int) throws(NodeError) -> Int {
        guard let text = try parameter(name) else { return absent }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(name, "\(range.lowerBound) to \(range.upperBound) is expected")
        }
        return number
    }
}

extension String {
    /// The text behind a percent-encoding (RFC 3986 §2.1); `nil` when it is wrong or not UTF-8.
    fileprivate var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
