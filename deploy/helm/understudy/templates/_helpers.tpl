{{- define "understudy.labels" -}}
app.kubernetes.io/name: understudy
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "understudy.selector" -}}
app.kubernetes.io/name: understudy
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "understudy.secretName" -}}
{{ .Values.existingSecret | default .Release.Name }}
{{- end }}

{{- define "understudy.scheme" -}}
{{ if .Values.tls.secretName }}https{{ else }}http{{ end }}
{{- end }}

{{- define "understudy.image" -}}
{{ if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "understudy.serviceAccount" -}}
{{ if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default .Release.Name }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* the key that is given, the one that is there already, or a new one */}}
{{- define "understudy.secretKey" -}}
{{- $kept := lookup "v1" "Secret" .Release.Namespace (printf "%s-key" .Release.Name) }}
{{- if .Values.credentials.secretKey }}{{ .Values.credentials.secretKey }}
{{- else if $kept }}{{ index $kept "data" "SVC_SECRET_KEY" | b64dec }}
{{- else }}k1:{{ randAlphaNum 64 | sha256sum }}
{{- end }}
{{- end }}

{{- define "understudy.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "understudy.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ['ALL']
{{- end }}
