extension RecordValue: Codable {
    /// Reads the form of the interface.
    /// - Parameter decoder: Any decoder of JSON.
    /// - Throws: `DecodingError` when the value has none of the known forms.
    public init(from decoder: any Decoder) throws {
        let json = try JSONValue(from: decoder)
        guard let value = RecordValue(json: json) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(json.encodedText) is not a field value")
            )
        }
        self = value
    }

    /// Writes the form of the interface.
    /// - Parameter encoder: Any encoder of JSON.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }
}
