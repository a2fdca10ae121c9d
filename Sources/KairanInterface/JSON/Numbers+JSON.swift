extension Int64 {
    /// The integer in the form of the interface: plain within ±2⁵³, where every JSON library keeps it exact, and as
    /// `{"$int64": "…"}` beyond.
    package var interfaceJSON: JSONValue {
        magnitude <= 1 << 53 ? .integer(self) : ["$int64": .string(description)]
    }

    /// Reads the output of ``interfaceJSON``, and any plain integer.
    package init?(interfaceJSON json: JSONValue) {
        if case .integer(let number) = json {
            self = number
            return
        }
        guard let members = json.members, members.count == 1, members[0].name == "$int64",
            let number = members[0].value.text.flatMap({ Int64($0) })
        else { return nil }
        self = number
    }
}

extension Double {
    /// The double in the form of the interface: plain when it has a fraction, and otherwise as `{"$double": …}`,
    /// because `3` is an integer, many libraries read `3.0` and `1e20` as one too, and JSON has no NaN.
    package var interfaceJSON: JSONValue {
        isFinite && self != rounded() ? .number(self) : ["$double": plainJSON]
    }

    /// The double where a double is expected anyway: a number, or the name of a value that JSON cannot express.
    package var plainJSON: JSONValue {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
        // Minus zero has no integer form.
        if let integer = Int64(exactly: self), integer.magnitude <= 1 << 53, !(isZero && sign == .minus) {
            return .integer(integer)
        }
        return .number(self)
    }

    /// Reads the output of ``plainJSON``, and any integer that a double holds exactly.
    package init?(interfaceJSON json: JSONValue) {
        switch json {
        case .number(let number): self = number
        case .integer(let integer):
            guard let number = Double(exactly: integer) else { return nil }
            self = number
        case .string("NaN"): self = .nan
        case .string("Infinity"): self = .infinity
        case .string("-Infinity"): self = -.infinity
        default: return nil
        }
    }
}
