/** What `typeof agent` is to a client and to a workflow, which load no agents: its output's type. */
export type AgentType = {
  readonly kind: 'agent';
  readonly output?: { readonly type: { readonly _output: unknown } };
};

export type OutputOf<Typed extends AgentType> = Typed extends {
  readonly output?: { readonly type: { readonly _output: infer Output } };
}
  ? Output
  : unknown;
