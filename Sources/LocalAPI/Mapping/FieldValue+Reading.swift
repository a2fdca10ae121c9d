import FoundationEssentials
import KairanInterface
import Node
import Wire

extension FieldValue {
    /// The actor that stands for the writer in counters and sets that come through the interface.
    ///
    /// A caller knows the sum or the elements that it wants, not the dots behind them; the node puts its own in.
    static let writer = Dot(actor: .zero, counter: 1)

    /// Reads a field's value in the form of the interface.
    /// - Parameters:
    ///   - json: The JSON value of the request.
    ///   - path: The place of the value, for messages, e.g. `fields.due`.
    /// - Throws: `invalidArgument` with the path of the first value that is not one.
    init(interfaceJSON json: JSONValue, at path: String) throws(NodeError) {
        self = try ValueReader(depth: 0).value(json, at: path)
    }
}

/// Reads values; knows how deep it is.
private struct ValueReader {
    let depth: Int

    func value(_ json: JSONValue, at path: String) throws(NodeError) -> FieldValue {
        switch json {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let number): return .int64(number)
        case .number(let number): return .double(number)
        case .string(let text): return .string(text)
        case .array(let elements): return .list(try list(elements, at: path))
        case .object(let members):
            guard members.count == 1, let member = members.first, member.name.hasPrefix("$") else {
                throw .invalid(path, "an object has exactly one member, whose name begins with $")
            }
            return try tagged(member, at: path)
        }
    }

    private func list(_ elements: [JSONValue], at path: String) throws(NodeError) -> [FieldValue] {
        guard depth < Limits.nestingDepthMax else {
            throw .invalid(path, "lists are nested deeper than \(Limits.nestingDepthMax) levels")
        }
        guard elements.count <= Limits.listItemCountMax else {
            throw .invalid(path, "a list has at most \(Limits.listItemCountMax) items")
        }
        let inner = ValueReader(depth: depth + 1)
        var values: [FieldValue] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            values.append(try inner.value(element, at: "\(path)[\(index)]"))
        }
        return values
    }

    private func tagged(_ member: JSONMember, at path: String) throws(NodeError) -> FieldValue {
        let value = member.value
        let place = "\(path).\(member.name)"
        switch member.name {
        case "$int64":
            guard let number = value.text.flatMap(Int64.init) else {
                throw .invalid(place, "the text of a 64-bit integer is expected")
            }
            return .int64(number)
        case "$double": return .double(try double(value, at: place))
        case "$bytes":
            guard let bytes = value.text.flatMap({ Data(base64Encoded: $0) }) else {
                throw .invalid(place, "base64 is expected")
            }
            return .bytes(Array(bytes))
        case "$date":
            guard let milliseconds = value.text.flatMap(RFC3339.milliseconds) else {
                throw .invalid(place, "a time like 2026-07-21T09:30:00.125Z is expected, not finer than milliseconds")
            }
            return .date(milliseconds: milliseconds)
        case "$location": return try location(value, at: place)
        case "$reference": return try reference(value, at: place)
        case "$counter", "$set": return try mergeable(member, at: path)
        case "$asset": return .asset(try AssetDescriptor(interfaceJSON: value, at: place))
        case "$unknown": throw .invalid(place, "a value of an unknown kind cannot be written")
        default: throw .invalid(place, "there is no such kind of value")
        }
    }

    private func double(_ json: JSONValue, at path: String) throws(NodeError) -> Double {
        guard let number = Double(interfaceJSON: json) else {
            throw .invalid(path, "a number, \"NaN\", \"Infinity\" or \"-Infinity\" is expected")
        }
        return number
    }

    private func location(_ json: JSONValue, at path: String) throws(NodeError) -> FieldValue {
        let object = try RequestObject(json, at: path, allowing: ["latitude", "longitude"])
        let latitude = try double(try object.required("latitude"), at: "\(path).latitude")
        let longitude = try double(try object.required("longitude"), at: "\(path).longitude")
        guard (-90...90).contains(latitude) else { throw .invalid("\(path).latitude", "-90 to 90 is expected") }
        guard (-180...180).contains(longitude) else { throw .invalid("\(path).longitude", "-180 to 180 is expected") }
        return .location(latitude: latitude, longitude: longitude)
    }

    private func reference(_ json: JSONValue, at path: String) throws(NodeError) -> FieldValue {
        let object = try RequestObject(json, at: path, allowing: ["zone", "record", "action"])
        let record = try object.requiredText("record")
        guard (1...Limits.nameByteCountMax).contains(record.utf8.count) else {
            throw .invalid("\(path).record", "a name has 1 to \(Limits.nameByteCountMax) bytes")
        }
        let action = try object.text("action") ?? "none"
        guard let text = try object.text("zone") else {
            switch action {
            case "none": return .reference(zone: nil, record: record)
            case "delete_self":
                guard depth == 0 else { throw .invalid("\(path).action", "only a field's own value can have it") }
                return .anchor(record: record)
            default: throw .invalid("\(path).action", "one of none, delete_self is expected")
            }
        }
        guard action == "none" else {
            throw .invalid("\(path).action", "a reference to another zone has the action none")
        }
        guard let zone = ZoneID(text: text) else { throw .invalid("\(path).zone", "the id of a zone is expected") }
        return .reference(zone: zone, record: record)
    }

    private func mergeable(_ member: JSONMember, at path: String) throws(NodeError) -> FieldValue {
        let place = "\(path).\(member.name)"
        guard depth == 0 else { throw .invalid(place, "counters and sets cannot be part of a list or set") }
        let writer = FieldValue.writer
        if member.name == "$counter" {
            guard let total = member.value.wholeNumber ?? Int64(interfaceJSON: member.value) else {
                throw .invalid(place, "an integer is expected")
            }
            return .counter(
                CounterState(entries: [.init(actor: writer.actor, counter: writer.counter, total: total)])
            )
        }
        guard let elements = member.value.elements else { throw .invalid(place, "an array is expected") }
        guard elements.count <= Limits.setElementCountMax else {
            throw .invalid(place, "a set has at most \(Limits.setElementCountMax) elements")
        }
        let inner = ValueReader(depth: depth + 1)
        var distinct: Set<FieldValue> = []
        for (index, element) in elements.enumerated() {
            let value = try inner.value(element, at: "\(place)[\(index)]")
            guard value.isSetElement else { throw .invalid("\(place)[\(index)]", "a list cannot be in a set") }
            guard distinct.insert(value).inserted else { throw .invalid("\(place)[\(index)]", "it is given twice") }
        }
        return .set(SetState(entries: distinct.map { SetState.Entry(element: $0, dots: [writer]) }))
    }
}
