import SwiftSyntax

/// Tells statements from expressions whose value is the result of the function around them, without `return`.
enum ImplicitResult {
    /// Whether a call may be such a result.
    static func isCall(_ item: CodeBlockItemSyntax) -> Bool {
        guard let owner = owner(of: item) else { return false }
        // The value of a closure's only expression is its result, unless the closure returns nothing, which only its type says.
        return owner.is(ClosureExprSyntax.self) || hasResult(owner)
    }

    /// Whether an assignment is a statement: its value is no result of anything but a function that returns nothing.
    static func isVoid(_ item: CodeBlockItemSyntax) -> Bool {
        owner(of: item).map { !hasResult($0) } ?? true
    }

    /// The function, accessor or closure whose only statement is this item, or the branch that has the item.
    private static func owner(of item: CodeBlockItemSyntax) -> Syntax? {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let block = list.parent else {
            return nil
        }
        if block.is(ClosureExprSyntax.self) || block.is(AccessorBlockSyntax.self) { return block }
        if block.is(SwitchCaseSyntax.self) {
            return branch(block.parent?.parent)
        }
        guard let owner = block.parent else { return nil }
        return owner.is(IfExprSyntax.self) ? branch(owner) : owner
    }

    /// The owner of an `if` or a `switch`, which may be an expression itself.
    private static func branch(_ node: Syntax?) -> Syntax? {
        guard var node else { return nil }
        // A further branch of the same `if`.
        while let outer = node.parent, outer.is(IfExprSyntax.self) { node = outer }
        guard let parent = node.parent else { return nil }
        if let item = parent.as(CodeBlockItemSyntax.self) { return owner(of: item) }
        if parent.is(ExpressionStmtSyntax.self), let item = parent.parent?.as(CodeBlockItemSyntax.self) {
            return owner(of: item)
        }
        // The value of a variable, an argument or the operand of `return`.
        return node
    }

    private static func hasResult(_ owner: Syntax) -> Bool {
        if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        if let accessor = owner.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.tokenKind == .keyword(.get)
        }
        if let block = owner.as(AccessorBlockSyntax.self), case .getter = block.accessors { return true }
        return owner.is(IfExprSyntax.self) || owner.is(SwitchExprSyntax.self)
    }
}
