import KairanInterface

/// Fields by name.
struct FieldsDecodingContainer<Key: CodingKey>: ForwardingKeyedContainer {
    let fields: NameDictionary<RecordValue>
    let codingPath: [any CodingKey]

    var allKeys: [Key] { fields.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

    func decoder(_ key: Key) throws -> ValueDecoder {
        guard let value = fields[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                .init(codingPath: codingPath, debugDescription: "the record has no field of this name")
            )
        }
        return ValueDecoder(value: value, codingPath: codingPath + [key])
    }

    func superDecoder() throws -> any Decoder { FieldsDecoder(fields: fields, codingPath: codingPath) }
}
