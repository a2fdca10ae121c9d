package import Wire

/// An index that a store keeps beside the records, so that queries need not examine all of them.
package struct FieldIndex: Hashable, Sendable {
    /// The operations that an index supports.
    package enum Kind: String, Sendable, CaseIterable {
        /// Comparisons, ranges, beginnings, and the order of the answer.
        case value
        /// `matches`.
        case text
    }

    /// The type of the records.
    package var type: BytewiseString
    /// The field.
    package var field: QueryField
    /// The operations that it supports.
    package var kind: Kind

    /// Names an index.
    package init(type: String, field: QueryField, kind: Kind) {
        self.type = BytewiseString(type)
        self.field = field
        self.kind = kind
    }
}

/// An index of a store, with the information whether queries use it.
package struct FieldIndexStatus: Hashable, Sendable {
    /// The index.
    package var index: FieldIndex
    /// False while it is being built: it may lack records, and no query looks into it.
    package var isReady: Bool
    /// Whether a schema declares it, so that it exists regardless of other requests for it; a store does not know
    /// this.
    package var isDeclared: Bool

    /// Makes a status.
    package init(index: FieldIndex, isReady: Bool, isDeclared: Bool = false) {
        self.index = index
        self.isReady = isReady
        self.isDeclared = isDeclared
    }
}

/// Why a store does not answer a query.
package enum QueryRefusal: Error, Hashable, Sendable {
    /// The query searches the text of a field that no text index is for.
    case textIndexMissing(QueryField)
}

extension Query {
    /// Makes sure that each field whose text is searched has an index for it, ready or not.
    /// - Throws: `QueryRefusal` for the first that has none.
    package func checkSearchable(_ indexes: [FieldIndex]) throws(QueryRefusal) {
        for field in predicate?.searchedFields ?? [] {
            let isIndexed = indexes.contains { $0.kind == .text && $0.field == field && $0.type == type }
            guard isIndexed else { throw .textIndexMissing(field) }
        }
    }
}

extension QueryRefusal: CustomStringConvertible {
    /// The reason, as a part of a sentence.
    package var description: String {
        switch self {
        case .textIndexMissing(.field(let name)): "there is no text index on the field “\(name.string)”"
        case .textIndexMissing(.system(let field)): "there is no text index on @\(field.rawValue)"
        }
    }
}
